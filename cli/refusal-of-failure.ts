import type { FindingCode } from '../domain/findings/catalogue.js';
import type { FailureType } from '../domain/failures.js';
import { FAILURES, isFailureType } from '../domain/failures.js';
import type { Ending } from './endings.js';
import { Refusal } from './refusal.js';

/** Which page tells about each failure of an activity, and how a command that meets it ends. */
const PAGES: Readonly<Record<FailureType, readonly [FindingCode, Ending]>> = {
  Throttled: ['CCM4011', 'failed'],
  Unavailable: ['CCM4011', 'failed'],
  Conflict: ['CCM4024', 'failed'],
  Unreachable: ['CCM4011', 'failed'],
  Timeout: ['CCM4017', 'failed'],
  NoWorker: ['CCM4105', 'failed'],
  UnknownStep: ['CCM4106', 'failed'],
  Unguarded: ['CCM4028', 'halted'],
  GateFailed: ['CCM4023', 'halted'],
  ForeignEdit: ['CCM4006', 'refused'],
  NoProof: ['CCM4007', 'refused'],
  Forbidden: ['CCM4009', 'refused'],
  Unauthorized: ['CCM4016', 'refused'],
  FenceLost: ['CCM4004', 'refused'],
  ForeignNode: ['CCM4030', 'refused'],
  Breach: ['CCM4023', 'halted'],
  PreconditionFailed: ['CCM4024', 'refused'],
  EffectNotSeen: ['CCM4008', 'halted'],
  ClusterMismatch: ['CCM4010', 'refused'],
  InvalidInput: ['CCM5003', 'configInvalid'],
  StalePlan: ['CCM4001', 'refused'],
  PreflightFailed: ['CCM4107', 'checksFailed'],
  NotSupported: ['CCM4012', 'refused'],
  AlreadyRunning: ['CCM4003', 'refused'],
  Bug: ['CCM4013', 'failed'],
};

/** Reasons in a failure's details that have a page of their own. */
const PAGES_OF_REASONS: Readonly<Record<string, FindingCode>> = {
  HostKey: 'CCM4025',
  NodeLogin: 'CCM4026',
  CommandRefused: 'CCM4027',
  KubeconfigRuns: 'CCM5011',
  KubeconfigFiles: 'CCM5019',
  KubeconfigUntrusted: 'CCM5012',
  KubeconfigUnauthenticated: 'CCM5020',
  KubeconfigInvalid: 'CCM5018',
  FileUnreadable: 'CCM5016',
};

/** A failure of the closed list as a refusal with its page; null for anything else. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !('type' in error)) return null;
  const { type } = error;
  if (typeof type !== 'string' || !isFailureType(type)) return null;
  const [code, ending] = PAGES[type];
  const retryable = FAILURES[type] === 'retry';
  return new Refusal(PAGES_OF_REASONS[reasonOf(error)] ?? code, error.message, {
    ...{ ending, retryable },
  });
}

/** The same, with the name of the cluster that it was met at: who looks at forty has to know at which. */
export function refusalAt(cluster: string, error: unknown): unknown {
  const refusal = error instanceof Refusal ? error : refusalOf(error);
  if (refusal === null || refusal.cluster !== null) return error;
  const { code, ending, why, fix, state, retryable, message } = refusal;
  const named = message.startsWith(`${cluster}: `) ? message : `cluster ${cluster}: ${message}`;
  return new Refusal(code, named, { ending, why, fix, state, retryable, cluster });
}

/** Without the failures of activities, which every command would then load. */
function reasonOf(error: Error): string {
  const all: readonly unknown[] =
    'details' in error && Array.isArray(error.details) ? error.details : [];
  const [first] = all;
  if (typeof first !== 'object' || first === null || !('reason' in first)) return '';
  return String(first.reason);
}
