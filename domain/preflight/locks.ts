import { gateProblems } from '../managers/feature-gates.js';
import { minorOf } from '../managers/minors.js';
import { COMPONENTS } from '../managers/controller-names.js';
import { BUILT_IN } from '../managers/effective-leader-migration.js';
import type { ManagerConfig } from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { CloudController, Disposition, LeaseRef } from '../vocabulary.js';
import { CLOUD_CONTROLLERS, sameLease } from '../vocabulary.js';
import type { Check, PlacedConfig, PreflightInput } from './preflight-check.js';
import {
  checkManagers,
  checkOf,
  everyManager,
  forEach,
  inTreeKcms,
  isInTree,
} from './preflight-check.js';

const RESERVED = [COMPONENTS.kcm, COMPONENTS.ccm, 'kube-scheduler', 'ccm-migrate'];
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const ALWAYS: readonly CloudController[] = ['service', 'route', 'cloud-node-lifecycle'];

/** What a manager decides wrongly on a controller of the set, and where its entry comes from. */
const LEFT_OUT = [
  ['CCM1005', 'nonMigrated', 'file'],
  ['CCM1006', 'nonMigrated', BUILT_IN],
  ['CCM1014', 'unowned', 'file'],
] as const;

/** CCM10xx: election, lock, names. */
export const LOCK_CHECKS: readonly Check[] = [
  checkManagers('leader election is on', 'CCM1001', everyManager, ({ leaderElect }) =>
    leaderElect ? null : '--leader-elect=false',
  ),
  checkManagers('one migration Lease', 'CCM1002', loopManagers, otherLock),
  checkManagers(
    'the token controller runs',
    'CCM1003',
    inTreeKcms,
    ({ contendsForMigrationLock, controllers }, { policy }) =>
      contendsForMigrationLock || policy.strategy !== 'leaderMigration'
        ? null
        : `--controllers=${controllers}`,
  ),
  {
    name: 'only registered controller names',
    codes: LEFT_OUT.map(([code]) => code),
    inspect: (input) =>
      LEFT_OUT.flatMap(([code, wrong, from]) =>
        forEach(loopManagers(input), code, (config) => leftOut(config, input.policy, wrong, from)),
      ),
  },
  checkManagers(
    'no Leader Migration in an external KCM',
    'CCM1007',
    ({ managers }) => managers.filter((one) => one.manager === 'kcm' && !isInTree(one)),
    ({ leaderMigration, cloudProvider }) =>
      leaderMigration.kind === 'off'
        ? null
        : `--cloud-provider=${cloudProvider} with --enable-leader-migration`,
  ),
  checkManagers('the file can be read', 'CCM1008', everyManager, ({ leaderMigration }) =>
    leaderMigration.kind === 'unreadable' ? leaderMigration.why : null,
  ),
  checkOf('the lock has a usable name', 'CCM1009', 'policy.lock', (input) => {
    const { lock } = input.policy;
    const taken = input.managers.some(({ config }) => sameLease(config.mainLock, lock));
    const valid = DNS_SUBDOMAIN.test(lock.name) && lock.name.length <= 253;
    return valid && !taken && !RESERVED.includes(lock.name) ? null : leaseName(lock);
  }),
  checkOf('the CCM honours Leader Migration', 'CCM1010', 'policy.ccm', ({ policy }) => {
    const { strategy, ccm } = policy;
    return strategy === 'leaderMigration' && ccm.leaderMigration === 'absent' ? ccm.image : null;
  }),
  checkOf('the set is complete', 'CCM1011', 'policy.lock', ({ policy: { lock } }) => {
    const missing = ALWAYS.filter((one) => !lock.controllers.includes(one));
    return missing.length === 0 ? null : `${missing.join(', ')} not listed`;
  }),
  checkManagers('feature gates are accepted', 'CCM1012', everyManager, gateFault),
  checkOf('node IPAM stays with the KCM', 'CCM1013', 'policy.lock', ({ policy: { lock, ccm } }) =>
    lock.controllers.includes('nodeipam') ? `nodeipam with ${ccm.image}` : null,
  ),
  checkOf(
    'ordinary failovers stay short',
    'CCM1015',
    'policy.disableLeaderMigration',
    ({ policy }) =>
      policy.strategy === 'leaderMigration' && policy.disableLeaderMigration === 'never'
        ? 'never'
        : null,
  ),
];

/** Managers that run cloud controllers: their names and locks decide which process does. */
function loopManagers({ managers }: PreflightInput): readonly PlacedConfig[] {
  return managers.filter(({ config }) => config.cloudLoops);
}

function otherLock(
  { leaderMigration, mainLock }: ManagerConfig,
  { policy: { lock, strategy } }: PreflightInput,
): string | null {
  if (leaderMigration.kind === 'on') {
    const seen = leaseName(leaderMigration.lock);
    return sameLease(leaderMigration.lock, lock) ? null : `${seen} instead of ${leaseName(lock)}`;
  }
  const elsewhere = strategy === 'leaderMigration' && mainLock.namespace !== lock.namespace;
  return elsewhere ? `main lock ${leaseName(mainLock)}, migration lock ${leaseName(lock)}` : null;
}

/** Controllers of the policy's set on which this manager decides differently, by the source of its entries. */
function leftOut(
  { leaderMigration, version }: ManagerConfig,
  { lock }: MigrationPolicy,
  wrong: Disposition,
  from: 'file' | typeof BUILT_IN,
): string | null {
  if (leaderMigration.kind !== 'on') return null;
  if ((leaderMigration.configHash === BUILT_IN) !== (from === BUILT_IN)) return null;
  const { dispositions } = leaderMigration;
  const affected = CLOUD_CONTROLLERS.filter(
    (one) => lock.controllers.includes(one) && dispositions[one] === wrong,
  );
  return affected.length === 0 ? null : `${affected.join(', ')} ${wrong} at ${version}`;
}

/** Gate DisableCloudProviders concerns a KCM only: a CCM has its own provider. */
function gateFault({
  manager,
  featureGates = '',
  version,
  cloudProvider,
  leaderMigration,
}: ManagerConfig): string | null {
  const minor = minorOf(version);
  if (minor === null) return null;
  const problems = gateProblems(featureGates, {
    minor,
    cloudProvider: manager === 'kcm' ? cloudProvider : '',
    leaderMigration: leaderMigration.kind === 'on',
  });
  return problems.length === 0 ? null : problems.join('; ');
}

function leaseName({ namespace, name }: LeaseRef): string {
  return `Lease ${namespace}/${name}`;
}
