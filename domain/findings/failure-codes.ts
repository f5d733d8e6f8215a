import type { FailureType } from '../failures.js';
import type { FindingCode } from './catalogue.js';

/** The code whose page explains each failure, whether a run holds for it or a command meets it. */
export const FAILURE_CODES: Readonly<Record<FailureType, FindingCode>> = {
  Throttled: 'CCM4011',
  Unavailable: 'CCM4011',
  Unreachable: 'CCM4011',
  Conflict: 'CCM4024',
  Timeout: 'CCM4017',
  Unguarded: 'CCM4028',
  GateFailed: 'CCM4103',
  ForeignEdit: 'CCM4006',
  NoProof: 'CCM4007',
  Forbidden: 'CCM4009',
  Unauthorized: 'CCM4016',
  FenceLost: 'CCM3007',
  ForeignNode: 'CCM4030',
  EvidenceLost: 'CCM4034',
  AuthorityLost: 'CCM4036',
  NotAuthorised: 'CCM4035',
  Breach: 'CCM4023',
  PreconditionFailed: 'CCM4024',
  EffectNotSeen: 'CCM4008',
  ClusterMismatch: 'CCM4010',
  InvalidInput: 'CCM5003',
  StalePlan: 'CCM4001',
  PreflightFailed: 'CCM4107',
  NotSupported: 'CCM4012',
  AlreadyRunning: 'CCM4003',
  Bug: 'CCM4013',
  NoWorker: 'CCM4105',
  UnknownStep: 'CCM4106',
};
