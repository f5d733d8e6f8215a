import { describe, expect, it } from '@jest/globals';
import { staleOwnersOf } from '../../../domain/ownership/owners.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerConfig,
  ManagerProcess,
} from '../../../domain/observation/observation.js';
import type { CloudController, Disposition } from '../../../domain/vocabulary.js';
import { clusterOf, type ClusterSpec } from '../../support/cluster-builder.js';
import { kcmConfig, leaderMigrationOn } from '../../support/manager-configs.js';

/** The KCM of the first node lost the migration Lease to the CCM of the second one. */
const TAKEN: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: { manager: 'ccm', node: 1 },
};
const WOKEN: Partial<ManagerProcess> = { locks: { main: 'held', migration: 'held' } };
const ON = kcmConfig('inTreeLm');

/** TAKEN, or another cluster, with changes to the KCM of the first node. */
function withFirstKcm(
  change: Partial<ManagerProcess>,
  spec: ClusterSpec = TAKEN,
): ClusterObservation {
  const observation = clusterOf(spec);
  const changed = (node: ControlPlaneNode): ControlPlaneNode => ({
    ...node,
    kcm: {
      ...node.kcm,
      processes: node.kcm.processes.map((process) => ({ ...process, ...change })),
    },
  });
  return {
    ...observation,
    nodes: observation.nodes.map((node, index) => (index === 0 ? changed(node) : node)),
  };
}

function disposed(disposition: Disposition): ManagerConfig {
  const on = leaderMigrationOn();
  if (on.kind !== 'on') throw new Error('Leader Migration is on in this one');
  const dispositions = { ...on.dispositions, service: disposition };
  return { ...ON, leaderMigration: { ...on, dispositions } };
}

function names(observation: ClusterObservation, controller: CloudController = 'service'): string[] {
  return staleOwnersOf(observation, controller).map(
    ({ node, manager }) => `${manager} ${node.name}`,
  );
}

const LOST_MAIN: ClusterSpec = { ...TAKEN, kcmLeader: 1 };
const NOBODYS: ClusterSpec = { ...TAKEN, migration: 'free' };
const OF_THE_DEAD: ClusterSpec = { ...TAKEN, migration: 'dead' };

describe('a stale owner runs on with a lock that another process holds', () => {
  it.each<[string, ClusterObservation, readonly string[]]>([
    ['a holder that woke (P13)', withFirstKcm(WOKEN), ['kcm cp-1']],
    ['one on standby', withFirstKcm({ locks: { main: 'held', migration: 'waiting' } }), []],
    [
      'one that cannot be observed',
      withFirstKcm({ locks: { main: 'held', migration: 'unknown' } }),
      [],
    ],
    ['one that is still stopped', withFirstKcm({ ...WOKEN, liveness: 'paused' }), []],
    ['a Lease without a holder', withFirstKcm(WOKEN, NOBODYS), []],
    ['a Lease of a dead holder', withFirstKcm(WOKEN, OF_THE_DEAD), []],
    [
      'without Leader Migration, its main lock kept',
      withFirstKcm({ ...WOKEN, config: kcmConfig('inTree') }),
      [],
    ],
    [
      'without Leader Migration, its main lock lost',
      withFirstKcm({ ...WOKEN, config: kcmConfig('inTree') }, LOST_MAIN),
      ['kcm cp-1'],
    ],
    [
      'a controller that is not migrated, the main lock lost',
      withFirstKcm({ ...WOKEN, config: disposed('nonMigrated') }, LOST_MAIN),
      ['kcm cp-1'],
    ],
    [
      'a controller that is not migrated, the main lock kept',
      withFirstKcm({ ...WOKEN, config: disposed('nonMigrated') }),
      [],
    ],
    ['a controller without an owner', withFirstKcm({ ...WOKEN, config: disposed('unowned') }), []],
    [
      'unknown settings',
      withFirstKcm({
        ...WOKEN,
        config: { ...ON, leaderMigration: { kind: 'unreadable', why: 'gone' } },
      }),
      [],
    ],
    [
      'no leader election: it always runs, and is counted so',
      withFirstKcm({ ...WOKEN, config: { ...ON, leaderElect: false } }),
      [],
    ],
    ['no cloud loops', withFirstKcm({ ...WOKEN, config: kcmConfig('externalLm') }), []],
  ])('stale owners are found: %s', (_name, observation, expected) => {
    expect(names(observation)).toEqual(expected);
  });

  it('the holder itself is no stale owner, and a healthy cluster has none', () => {
    expect(names(clusterOf(TAKEN))).toEqual([]);
    expect(names(clusterOf({ ...TAKEN, migration: { manager: 'kcm', node: 0 } }))).toEqual([]);
  });
});
