import { gateProblems } from '../managers/feature-gates.js';
import { minorOf } from '../managers/minors.js';
import { COMPONENTS } from '../managers/controller-names.js';
import { BUILT_IN } from '../managers/effective-leader-migration.js';
import type { ManagerConfig } from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { CloudController, Disposition, LeaseRef } from '../vocabulary.js';
import { CLOUD_CONTROLLERS, sameLease } from '../vocabulary.js';
import type { Check, PlacedConfig, PreflightInput } from './check.js';
import { forEach, found, isInTree, NO_FINDINGS } from './check.js';

const RESERVED = [COMPONENTS.kcm, COMPONENTS.ccm, 'kube-scheduler', 'ccm-migrate'];
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const ALWAYS: readonly CloudController[] = ['service', 'route', 'cloud-node-lifecycle'];

/** CCM10xx: election, lock, names. */
export const LOCK_CHECKS: readonly Check[] = [
  {
    name: 'leader election is on',
    codes: ['CCM1001'],
    inspect: ({ managers }) =>
      forEach(managers, 'CCM1001', ({ leaderElect }) =>
        leaderElect ? null : '--leader-elect=false',
      ),
  },
  {
    name: 'one migration Lease',
    codes: ['CCM1002'],
    inspect: (input) =>
      forEach(loopManagers(input), 'CCM1002', (config) => otherLock(config, input.policy)),
  },
  {
    name: 'the token controller runs',
    codes: ['CCM1003'],
    inspect: (input) =>
      forEach(
        input.managers.filter(isInTree),
        'CCM1003',
        ({ contendsForMigrationLock, controllers }) =>
          contendsForMigrationLock || input.policy.strategy !== 'leaderMigration'
            ? null
            : `--controllers=${controllers}`,
      ),
  },
  {
    name: 'only registered controller names',
    codes: ['CCM1005', 'CCM1006', 'CCM1014'],
    inspect: (input) => [
      ...forEach(loopManagers(input), 'CCM1005', (config) =>
        leftOut(config, input.policy, 'nonMigrated', 'file'),
      ),
      ...forEach(loopManagers(input), 'CCM1006', (config) =>
        leftOut(config, input.policy, 'nonMigrated', BUILT_IN),
      ),
      ...forEach(loopManagers(input), 'CCM1014', (config) =>
        leftOut(config, input.policy, 'unowned', 'file'),
      ),
    ],
  },
  {
    name: 'no Leader Migration in an external KCM',
    codes: ['CCM1007'],
    inspect: ({ managers }) =>
      forEach(
        managers.filter((one) => one.manager === 'kcm' && !isInTree(one)),
        'CCM1007',
        ({ leaderMigration, cloudProvider }) =>
          leaderMigration.kind === 'off'
            ? null
            : `--cloud-provider=${cloudProvider} with --enable-leader-migration`,
      ),
  },
  {
    name: 'the file can be read',
    codes: ['CCM1008'],
    inspect: ({ managers }) =>
      forEach(managers, 'CCM1008', ({ leaderMigration }) =>
        leaderMigration.kind === 'unreadable' ? leaderMigration.why : null,
      ),
  },
  {
    name: 'the lock has a usable name',
    codes: ['CCM1009'],
    inspect: ({ policy: { lock }, managers }) => {
      const taken = managers.some(({ config }) => sameLease(config.mainLock, lock));
      const valid = DNS_SUBDOMAIN.test(lock.name) && lock.name.length <= 253;
      return valid && !taken && !RESERVED.includes(lock.name)
        ? NO_FINDINGS
        : found('CCM1009', { subject: 'policy.lock', seen: leaseName(lock) });
    },
  },
  {
    name: 'the CCM honours Leader Migration',
    codes: ['CCM1010'],
    inspect: ({ policy: { strategy, ccm } }) =>
      strategy === 'leaderMigration' && ccm.leaderMigration === 'absent'
        ? found('CCM1010', { subject: 'policy.ccm', seen: ccm.image })
        : NO_FINDINGS,
  },
  {
    name: 'the set is complete',
    codes: ['CCM1011'],
    inspect: ({ policy: { lock } }) => {
      const missing = ALWAYS.filter((one) => !lock.controllers.includes(one));
      return missing.length === 0
        ? NO_FINDINGS
        : found('CCM1011', { subject: 'policy.lock', seen: `${missing.join(', ')} not listed` });
    },
  },
  {
    name: 'feature gates are accepted',
    codes: ['CCM1012'],
    inspect: ({ managers }) => forEach(managers, 'CCM1012', gateFault),
  },
  {
    name: 'node IPAM stays with the KCM',
    codes: ['CCM1013'],
    inspect: ({ policy: { lock, ccm } }) =>
      lock.controllers.includes('nodeipam')
        ? found('CCM1013', { subject: 'policy.lock', seen: `nodeipam with ${ccm.image}` })
        : NO_FINDINGS,
  },
  {
    name: 'ordinary failovers stay short',
    codes: ['CCM1015'],
    inspect: ({ policy }) =>
      policy.strategy === 'leaderMigration' && policy.disableLeaderMigration === 'never'
        ? found('CCM1015', { subject: 'policy.disableLeaderMigration', seen: 'never' })
        : NO_FINDINGS,
  },
];

/** Managers that run cloud controllers: their names and locks decide which process does. */
function loopManagers({ managers }: PreflightInput): readonly PlacedConfig[] {
  return managers.filter(({ config }) => config.cloudLoops);
}

function otherLock(
  { leaderMigration, mainLock }: ManagerConfig,
  { lock, strategy }: MigrationPolicy,
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
