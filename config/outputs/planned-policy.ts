import { z } from 'zod';
import { CLOUD_CONTROLLERS, STEP_PHASES } from '../../domain/vocabulary.js';
import type { MigrationPolicy, RunTimings } from '../../domain/policy.js';
import { durationMs } from '../duration.js';
import { dnsName } from '../kinds/envelope.js';
import { kubernetesVersion } from '../kinds/migration-policy.js';
import { ownGate } from '../kinds/own-gates.js';
import { digest } from './parts.js';

/** Milliseconds between the bounds that the configuration sets for the same wait. */
function milliseconds(atLeast: string, atMost: string) {
  return z.number().int().min(durationMs(atLeast)).max(durationMs(atMost));
}

function seconds(atLeast: string, atMost: string) {
  return z
    .number()
    .min(durationMs(atLeast) / 1000)
    .max(durationMs(atMost) / 1000);
}

const text = z.string().min(1).max(512);
const nodeChange = z.enum(['replace', 'inPlace']);
const node = z.strictObject({ version: kubernetesVersion, kcmImage: text, cloudProvider: text });

const leaseTimings = z.strictObject({
  leaseDurationSeconds: seconds('1s', '5m'),
  renewDeadlineSeconds: seconds('1s', '5m'),
  retryPeriodSeconds: seconds('100ms', '1m'),
});

const accessRule = z.strictObject({
  namespace: dnsName.nullable(),
  apiGroups: z.array(z.string().max(253)).min(1),
  resources: z.array(text).min(1),
  resourceNames: z.array(text),
  verbs: z.array(text).min(1),
});

const ccm = z.strictObject({
  image: text,
  version: kubernetesVersion,
  deployAs: z.enum(['staticPod', 'daemonSet']),
  leaderMigration: z.enum(['implemented', 'absent']),
  timings: leaseTimings,
  accessRules: z.array(accessRule).max(50),
});

const waiver = z.strictObject({
  code: z.string().regex(/^CCM\d{4}$/),
  observationDigest: digest,
  actor: text,
  reason: z.string().min(1),
});

const breachRule = z.union([
  z.enum(['hold', 'rollBack']),
  z.strictObject({ holdThenRollBackMs: milliseconds('1s', '168h') }),
]);

/** A policy as a plan carries it: normalised, complete, and without keys that this version does not know. */
export const plannedPolicy = z.strictObject({
  strategy: z.enum(['leaderMigration', 'gap']),
  nodes: z.strictObject({ forward: nodeChange, rollback: nodeChange }),
  lock: z.strictObject({
    namespace: dnsName,
    name: dnsName,
    controllers: z.array(z.enum(CLOUD_CONTROLLERS)).min(1),
  }),
  source: node,
  target: node,
  ccm,
  // Absent in plans and runs that create the access themselves.
  clusterAccess: z.literal('provided').exactOptional(),
  kcmTimings: leaseTimings,
  etcdMemberRemoval: z.enum(['machinesApi', 'us']),
  autoRepair: z.enum(['frozen', 'unknown']),
  rollWorkers: z.strictObject({
    enabled: z.boolean(),
    batchSize: z.number().int().min(1).max(1000),
  }),
  disableLeaderMigration: z.enum(['never', 'afterSoak']),
  leaderMigrationAfterRollback: z.enum(['keep', 'off']),
  soakSeconds: seconds('0s', '24h'),
  onBreach: breachRule,
  // Absent in plans without one, and in those of older versions.
  onBreachByPhase: z.partialRecord(z.enum(STEP_PHASES), breachRule).exactOptional(),
  orphanBudgetMs: milliseconds('1s', '1h'),
  handoverApproval: z.enum(['required', 'notRequired']),
  // This and `automation` are absent in plans and runs of older versions.
  staleHolder: z.enum(['hold', 'kill']).exactOptional(),
  automation: z
    .strictObject({
      pause: z.enum(['allowed', 'refused']),
      rollBack: z.enum(['allowed', 'refused']),
    })
    .exactOptional(),
  metricGates: z
    .strictObject({
      catalogue: z.enum(['nodes', 'off']),
      objects: z.enum(['watch', 'off']).exactOptional(),
      except: z.array(z.string().max(100)).max(100),
      everyMs: milliseconds('1s', '5m'),
      unmeasuredMs: milliseconds('2s', '1h'),
      quiet: z.enum(['note', 'hold']),
      falseAlarms: z.number().min(0.0001).max(0.2),
      tolerance: z.number().min(1).max(10),
      own: z.array(ownGate).min(1).max(10).exactOptional(),
    })
    .exactOptional(),
  probes: z
    .strictObject({
      balancer: z.strictObject({
        annotations: z.record(z.string().min(1).max(317), z.string().max(1000)),
        withinMs: milliseconds('1s', '1h'),
      }),
    })
    .exactOptional(),
  waivers: z.array(waiver).max(100),
}) satisfies z.ZodType<MigrationPolicy>;

/** All waits of a run, each within the bounds of the configuration. */
export const plannedTimings = z.strictObject({
  requestMs: milliseconds('100ms', '5m'),
  effectMs: milliseconds('1s', '30m'),
  electionMs: milliseconds('1s', '30m'),
  pollMs: milliseconds('20ms', '1m'),
  fenceRenewMs: milliseconds('100ms', '1m'),
  fenceRenewIdleMs: milliseconds('100ms', '10m'),
  guardMs: milliseconds('100ms', '1m'),
  guardIdleMs: milliseconds('100ms', '5m'),
  guardWaitMs: milliseconds('1s', '10m'),
  settleMs: milliseconds('100ms', '10m'),
  awaitChangeMs: milliseconds('1s', '12h'),
  stepTimeoutMs: milliseconds('10s', '12h'),
  heartbeatMs: milliseconds('500ms', '1m'),
}) satisfies z.ZodType<RunTimings>;
