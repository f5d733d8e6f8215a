import { hostname } from 'node:os';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { ClusterActivities, GuardActivities } from '../activities/contract.js';
import type { FleetActivities } from '../activities/fleet-contract.js';
import type { SigningKey } from '../config/access/signing-key-file.js';
import { buildIdText } from '../config/build-id.js';
import type { WorkflowBundle } from '../config/bundle-file.js';
import type { WorkerSettings } from '../config/environment.js';
import { workerIdentity } from '../config/worker-identity.js';
import {
  FLEET_TASK_QUEUE,
  WORKFLOW_TASK_QUEUE,
  guardTaskQueue,
  stepTaskQueue,
  waitTaskQueue,
} from '../config/names.js';
import { codeThatEncodes, encodedFailures } from './encode-failures.js';
import { guardSlots } from './guard-slots.js';
import type { GuardGate } from './loop-meter.js';
import { signedResults } from './sign-results.js';

export interface WorkerParts extends WorkerSettings {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly dataConverter: DataConverter;
  /** The file of keys of `dataConverter`; empty where nothing is encrypted. */
  readonly payloadKeys: string;
  readonly bundle: WorkflowBundle;
  /** Digest of all code that decides or acts (`codeDigest`). */
  readonly build: string;
  /** Signs what activities return; null where nothing is signed. */
  readonly signsWith: SigningKey | null;
  readonly steps: ClusterActivities;
  readonly guards: GuardActivities;
  /** Whether new guards are taken now, besides their slots. */
  readonly gate: GuardGate;
  readonly fleets: FleetActivities;
}

/**
 * After the grace period whatever still runs is cancelled, and ended this much later; the next worker observes the
 * outcome.
 */
const FORCE_AFTER_MS = 5_000;

/** A worker exits at the latest this long after the signal, whatever it still waits for. */
export function leavesWithinMs(shutdownGraceMs: number): number {
  return shutdownGraceMs + FORCE_AFTER_MS + 1_000;
}

/** About 1 MB each under load; a run that waits for people may be evicted and replayed. */
const CACHED_WORKFLOWS = 500;

/** Each makes up to 32 requests to the server at a time. */
const FLEET_CALLS = 8;

/** The options of one Temporal worker in this process. */
export function workerOptions(role: Role, parts: WorkerParts): WorkerOptions {
  const shared = common(role, parts);
  return role === 'workflows'
    ? { ...shared, ...workflowOptions(parts) }
    : { ...shared, ...activityOptions(role, parts) };
}

function workflowOptions(parts: WorkerParts) {
  return {
    taskQueue: WORKFLOW_TASK_QUEUE,
    workflowBundle: { code: workflowCode(parts) },
    maxCachedWorkflows: CACHED_WORKFLOWS,
    stickyQueueScheduleToStartTimeout: parts.stickyMs,
    maxConcurrentWorkflowTaskExecutions: 40,
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 },
    shutdownGraceTime: parts.shutdownGraceMs,
  } as const;
}

/** Few and large: the state of a thousand clusters, and thousands of events. */
const CACHED_FLEETS = 20;

function workflowCode({ bundle: { code }, payloadKeys }: WorkerParts): string {
  return payloadKeys === '' ? code : codeThatEncodes(code);
}

function fleetWorkflowOptions(parts: WorkerParts) {
  return {
    workflowBundle: { code: workflowCode(parts) },
    maxCachedWorkflows: CACHED_FLEETS,
    stickyQueueScheduleToStartTimeout: parts.stickyMs,
    maxConcurrentWorkflowTaskExecutions: 4,
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 2, maximum: 4 },
  } as const;
}

function activityOptions(role: Exclude<Role, 'workflows'>, parts: WorkerParts) {
  const slots = { maxConcurrentActivityTaskExecutions: parts.clusterSlots };
  switch (role) {
    case 'steps':
      return {
        ...slots,
        taskQueue: stepTaskQueue(parts.region),
        activities: parts.steps,
        activityTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 20 },
        shutdownGraceTime: parts.shutdownGraceMs,
      } as const;
    case 'waits':
      // A wait has nothing to finish: its state is in its heartbeat, and the next worker continues.
      return {
        ...slots,
        taskQueue: waitTaskQueue(parts.region),
        activities: parts.steps,
        activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
        shutdownGraceTime: 0,
      } as const;
    case 'guards':
      return guardOptions(parts);
    case 'fleets':
      return {
        ...fleetWorkflowOptions(parts),
        maxConcurrentActivityTaskExecutions: FLEET_CALLS,
        taskQueue: FLEET_TASK_QUEUE,
        activities: parts.fleets,
        activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 4 },
        shutdownGraceTime: parts.shutdownGraceMs,
      } as const;
  }
}

const ONE_SLOT = { type: 'fixed-size', numSlots: 1 } as const;

function guardOptions({ region, guards, clusterSlots, gate }: WorkerParts) {
  return {
    taskQueue: guardTaskQueue(region),
    activities: guards,
    tuner: {
      activityTaskSlotSupplier: guardSlots(clusterSlots, gate),
      // Of these it runs none.
      workflowTaskSlotSupplier: ONE_SLOT,
      localActivityTaskSlotSupplier: ONE_SLOT,
      nexusTaskSlotSupplier: ONE_SLOT,
    },
    // Each may still bring a guard after this worker became busy.
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    // Shut down after the steps of this process; a guard itself has nothing to finish.
    shutdownGraceTime: 0,
  } as const;
}

function common(role: Role, parts: WorkerParts) {
  const { connection, namespace, dataConverter, bundle, build } = parts;
  const { shutdownGraceMs, versioning, clusterSlots } = parts;
  const slots = role === 'workflows' ? null : role === 'fleets' ? FLEET_CALLS : clusterSlots;
  return {
    connection,
    namespace,
    dataConverter,
    interceptors: {
      activity: [
        ...(parts.payloadKeys === '' ? [] : [() => ({ inbound: encodedFailures })]),
        ...(parts.signsWith === null ? [] : [signedResults(parts.signsWith)]),
      ],
    },
    // Recorded on each workflow task, so that an audit finds the code that wrote a history.
    workerDeploymentOptions: {
      version: {
        deploymentName: 'ccm-migrate',
        buildId: buildIdText({ bundle: bundle.digest, code: build }),
      },
      // A run in flight continues under the build that becomes current (ADR 12), a fleet at its next execution (ADR 16).
      ...(versioning === 'on'
        ? {
            useWorkerVersioning: true,
            defaultVersioningBehavior: role === 'fleets' ? 'PINNED' : 'AUTO_UPGRADE',
          }
        : { useWorkerVersioning: false }),
    },
    identity: workerIdentity({ role, host: hostname(), pid: process.pid, slots }),
    // Cancellation reaches an activity only with its heartbeats: at the SDK's default it could take a minute.
    maxHeartbeatThrottleInterval: 1_000,
    defaultHeartbeatThrottleInterval: 1_000,
    shutdownForceTime: shutdownGraceMs + FORCE_AFTER_MS,
  } as const satisfies Partial<WorkerOptions>;
}

/** What a worker process can serve: workflows and fleets anywhere, steps, waits and guards next to the clusters of a region. */
export const ROLES = ['workflows', 'fleets', 'steps', 'waits', 'guards'] as const;
export type Role = (typeof ROLES)[number];

/** Reads `--roles a,b` (default: all); anything else on the command line is an error. */
export function readRoles(argv: readonly string[]): readonly Role[] {
  const [flag, value, ...others] = argv;
  if (flag === undefined) return ROLES;
  if (flag !== '--roles' || value === undefined || others.length > 0) throw new Error(usage());
  return [...new Set(value.split(',').map(roleOf))];
}

function roleOf(given: string): Role {
  const role = ROLES.find((known) => known === given.trim());
  if (role === undefined) throw new Error(`no role ${given}; ${usage()}`);
  return role;
}

function usage(): string {
  return `usage: worker [--roles ${ROLES.join(',')}]`;
}
