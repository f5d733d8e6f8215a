import { describe, expect, it } from '@jest/globals';
import type { LeaseReading } from '../../../activities/lease-reading.js';
import type { HostedProcess } from '../../../activities/observe/identities.js';
import {
  type HostInventory,
  holderStateOf,
  identityOf,
} from '../../../activities/observe/identities.js';
import { lockRole } from '../../../activities/observe/lock-role.js';
import type { MachineReading } from '../../../activities/observe/readings.js';
import {
  CCM_MAIN,
  KCM_MAIN,
  MIGRATION,
  ccmConfig,
  kcmConfig,
} from '../../support/cluster-builder.js';

const metrics = (statuses: Readonly<Record<string, 0 | 1>>): string =>
  Object.entries(statuses)
    .map(([name, value]) => `leader_election_master_status{name="${name}"} ${String(value)}`)
    .join('\n');

const kcm = (hostname: string, startedAtMs: number, said: string | null = null): HostedProcess => ({
  hostname,
  process: { pid: 7, manager: 'kcm', startTicks: 1, startedAtMs, arguments: [], paused: false },
  config: kcmConfig('inTreeLm'),
  elections: said,
});

const ccm = (hostname: string, startedAtMs: number, said: string | null): HostedProcess => ({
  hostname,
  process: { pid: 8, manager: 'ccm', startTicks: 1, startedAtMs, arguments: [], paused: false },
  config: ccmConfig('on'),
  elections: said,
});

const paused = (one: HostedProcess): HostedProcess => ({
  ...one,
  process: { ...one.process, paused: true },
});

const lease = (
  ref: { namespace: string; name: string },
  holder: string,
  acquiredAtMs = 10_000,
): LeaseReading => ({
  ...ref,
  resourceVersion: '1',
  holder,
  leaseDurationSeconds: 15,
  transitions: 0,
  released: '',
  acquiredAtMs,
});

/** A CCM that names the KCM's main lock as its own. */
const kcmLock = { ...ccmConfig('on'), mainLock: KCM_MAIN };

describe('the process behind a holder string', () => {
  const main = lease(KCM_MAIN, 'cp-1_k');
  const migration = lease(MIGRATION, 'cp-1_c');

  it.each([
    [
      'metrics report that it leads',
      [kcm('cp-1', 5000, metrics({ [KCM_MAIN.name]: 1 }))],
      'cp-1_k',
    ],
    ['metrics report that it waits', [kcm('cp-1', 5000, metrics({ [KCM_MAIN.name]: 0 }))], null],
    [
      'a paused process, presumed because no other can be the holder',
      [kcm('cp-1', 5000)],
      'cp-1_k',
    ],
    ['a process started after the acquisition', [kcm('cp-1', 15_000)], null],
    [
      'a process started after the acquisition by a clock that was set forward since, and it leads',
      [kcm('cp-1', 15_000, metrics({ [KCM_MAIN.name]: 1 }))],
      'cp-1_k',
    ],
    [
      'a younger process on the host that says that it leads speaks against one without metrics',
      [
        kcm('cp-1', 5000),
        { ...ccm('cp-1', 15_000, metrics({ [KCM_MAIN.name]: 1 })), config: kcmLock },
      ],
      null,
    ],
    ['a process of another host', [kcm('cp-2', 5000, metrics({ [KCM_MAIN.name]: 1 }))], null],
    [
      'two processes on the host, which cannot be distinguished',
      [kcm('cp-1', 5000), kcm('cp-1', 6000)],
      null,
    ],
  ] as const)(
    'a holder string belongs to a process or to none that is known: %s',
    (_name, everyone, expected) => {
      expect(identityOf(everyone[0], everyone, [main])).toBe(expected);
    },
  );

  it('KCM and CCM of one host are distinguished by metrics on the migration Lease (P8)', () => {
    const standby = kcm('cp-1', 5000, metrics({ [KCM_MAIN.name]: 0 }));
    const holder = ccm('cp-1', 5000, metrics({ [CCM_MAIN.name]: 0, [MIGRATION.name]: 1 }));
    const everyone = [standby, holder];
    expect(identityOf(standby, everyone, [migration])).toBeNull();
    expect(identityOf(holder, everyone, [migration])).toBe('cp-1_c');
  });

  it('the migration Lease has no known holder when either manager of a host could be it', () => {
    const everyone = [kcm('cp-1', 5000), ccm('cp-1', 5000, null)];
    expect(everyone.map((one) => identityOf(one, everyone, [migration]))).toEqual([null, null]);
  });
});

describe('whether a holder lives', () => {
  const machine = (name: string, state: MachineReading['state'] = 'ready'): MachineReading => ({
    name,
    node: name,
    side: 'source',
    state,
    reason: '',
  });
  const where = (changes: Partial<HostInventory>): HostInventory => ({
    hosts: [{ node: 'cp-1', hostname: 'cp-1' }],
    machines: null,
    processes: [],
    identities: new Set(),
    ...changes,
  });
  const silent = { kind: 'silent', sinceMs: 0 } as const;
  const advancing = { kind: 'advancing' } as const;

  it.each([
    ['a released Lease', lease(KCM_MAIN, ''), silent, where({}), 'none'],
    [
      'a known process',
      lease(KCM_MAIN, 'cp-1_k'),
      silent,
      where({ identities: new Set(['cp-1_k']) }),
      'alive',
    ],
    ['its host runs no KCM', lease(KCM_MAIN, 'cp-1_k'), advancing, where({}), 'dead'],
    [
      'its host runs a younger KCM',
      lease(KCM_MAIN, 'cp-1_k'),
      silent,
      where({ processes: [kcm('cp-1', 20_000)] }),
      'dead',
    ],
    [
      'its host runs a younger KCM that says nothing, and the Lease is renewed',
      lease(KCM_MAIN, 'cp-1_k'),
      advancing,
      where({ processes: [kcm('cp-1', 20_000)] }),
      'unknown',
    ],
    [
      'its host runs a younger KCM that waits for the Lease',
      lease(KCM_MAIN, 'cp-1_k'),
      advancing,
      where({ processes: [kcm('cp-1', 20_000, metrics({ [KCM_MAIN.name]: 0 }))] }),
      'dead',
    ],
    [
      'its host runs a younger KCM that has not tried the Lease',
      lease(MIGRATION, 'cp-1_k'),
      advancing,
      where({ processes: [kcm('cp-1', 20_000, metrics({ [KCM_MAIN.name]: 1 }))] }),
      'dead',
    ],
    [
      'its host runs a KCM that is younger by its clock, and says that it holds the Lease',
      lease(KCM_MAIN, 'cp-1_k'),
      silent,
      where({ processes: [kcm('cp-1', 20_000, metrics({ [KCM_MAIN.name]: 1 }))] }),
      'unknown',
    ],
    [
      'its host runs two younger KCMs, and one of them waits',
      lease(KCM_MAIN, 'cp-1_k'),
      advancing,
      where({
        processes: [20_000, 21_000].map((at) => kcm('cp-1', at, metrics({ [KCM_MAIN.name]: 0 }))),
      }),
      'unknown',
    ],
    [
      'its host runs a younger KCM that is paused',
      lease(KCM_MAIN, 'cp-1_k'),
      silent,
      where({ processes: [paused(kcm('cp-1', 20_000))] }),
      'unknown',
    ],
    [
      'its host runs a KCM that could be it',
      lease(KCM_MAIN, 'cp-1_k'),
      silent,
      where({ processes: [kcm('cp-1', 5000)] }),
      'unknown',
    ],
    [
      'a process started within the tolerance of clocks',
      lease(KCM_MAIN, 'cp-1_k'),
      silent,
      where({ processes: [kcm('cp-1', 11_500)] }),
      'unknown',
    ],
    ['an unknown host, and no provider', lease(KCM_MAIN, 'cp-9_k'), silent, where({}), 'unknown'],
    [
      'its machine is gone at the provider',
      lease(KCM_MAIN, 'cp-9_k'),
      silent,
      where({ machines: [machine('cp-1')] }),
      'dead',
    ],
    [
      'its machine is gone, but the Lease is still renewed',
      lease(KCM_MAIN, 'cp-9_k'),
      advancing,
      where({ machines: [machine('cp-1')] }),
      'unknown',
    ],
    [
      'its machine is still listed',
      lease(KCM_MAIN, 'cp-9_k'),
      silent,
      where({ machines: [machine('cp-1'), machine('cp-9', 'deleting')] }),
      'unknown',
    ],
    [
      'a machine whose host is unknown',
      lease(KCM_MAIN, 'cp-9_k'),
      silent,
      where({ machines: [machine('cp-1'), machine('cp-2', 'failed')] }),
      'unknown',
    ],
    [
      'a node that does not answer',
      lease(KCM_MAIN, 'cp-9_k'),
      silent,
      where({ hosts: [{ node: 'cp-1', hostname: null }], machines: [machine('cp-1')] }),
      'unknown',
    ],
  ] as const)(
    'evidence decides whether a holder lives: %s',
    (_name, record, freshness, around, expected) => {
      expect(holderStateOf(record, freshness, 'kcm', around)).toBe(expected);
    },
  );

  it('any manager of the host is a suspect where the Lease is not a known main lock', () => {
    const suspects = where({ processes: [ccm('cp-1', 5000, null)] });
    const record = lease(MIGRATION, 'cp-1_k');
    expect(holderStateOf(record, silent, null, suspects)).toBe('unknown');
    expect(holderStateOf(record, silent, 'kcm', suspects)).toBe('dead');
  });
});

describe('role in an election from metrics', () => {
  it.each([
    ['held', metrics({ a: 1 }), 'held'],
    ['waiting', metrics({ a: 0 }), 'waiting'],
    ['no series of this Lease', metrics({ b: 1 }), 'notTried'],
    ['a build without these series', 'go_info 1', 'unknown'],
    ['nothing listens, or the answer could not be read', null, 'unknown'],
    ['more labels', 'leader_election_master_status{job="x",name="a"} 1', 'held'],
    ['one Lease twice', `${metrics({ a: 1 })}\n${metrics({ a: 0 })}`, 'unknown'],
    ['a value that is no role', 'leader_election_master_status{name="a"} NaN', 'unknown'],
    ['another number', 'leader_election_master_status{name="a"} 2', 'unknown'],
    ['a line that cannot be read', 'leader_election_master_status{name="b" 1', 'unknown'],
    ['an unreadable page', '\n'.repeat(300_000), 'unknown'],
  ] as const)('the role in an election is read from metrics: %s', (_name, reading, expected) => {
    expect(lockRole(reading, 'a')).toBe(expected);
  });
});
