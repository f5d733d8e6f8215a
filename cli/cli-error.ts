import { CommanderError } from 'commander';
import type { ConfigProblem } from '../config/problems.js';
import { ConfigInvalid } from '../config/problems.js';
import type { FailureType } from '../domain/failures.js';
import { FAILURES, isFailureType } from '../domain/failures.js';
import type { FindingCode } from '../domain/findings/catalogue.js';
import { entryOf } from '../domain/findings/catalogue.js';
import { FAILURE_CODES } from '../domain/findings/failure-codes.js';
import type { ExitStatus } from './exit-status.js';
import { EXIT_CODES } from './exit-status.js';

/** Why a command did not do what was asked: what, why and fix, always with a code of the catalogue. */
export class CliError extends Error {
  override readonly name = 'Refusal';
  readonly code: FindingCode;
  readonly exitStatus: ExitStatus;
  readonly why: string;
  readonly fix: string;
  /** For a run: whether the cluster is safe as it is. */
  readonly state: string;
  /** The cluster concerned; null when there is none. */
  readonly cluster: string | null;
  /** Whether the same command may succeed later without intervention. */
  readonly retryable: boolean;

  constructor(
    code: FindingCode,
    what: string,
    options: {
      readonly exitStatus?: ExitStatus;
      readonly why?: string;
      readonly fix?: string;
      readonly state?: string;
      readonly cluster?: string;
      readonly retryable?: boolean;
    } = {},
  ) {
    super(what);
    const entry = entryOf(code);
    this.code = code;
    this.exitStatus = options.exitStatus ?? 'refused';
    this.why = options.why ?? entry.why;
    this.fix = options.fix ?? entry.fix;
    this.state = options.state ?? '';
    this.cluster = options.cluster ?? null;
    this.retryable = options.retryable ?? false;
  }
}

/** The command line itself is wrong; the message names the flag that fixes it. */
export class UsageError extends Error {
  override readonly name = 'WrongUsage';
}

/** A signal ended a command, or no one reads its output any more; the message says what was ended and what is left. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** A failed command for programs: `-o json` prints this in place of its document. */
export interface CommandError {
  /**
   * Code of the catalogue; null where the command line is wrong, the wait was interrupted, or the error is unexpected.
   */
  readonly code: string | null;
  readonly cluster: string | null;
  readonly message: string;
  readonly why: string;
  /** What to do next. */
  readonly next: string;
  /** Whether the same command may succeed later without intervention. */
  readonly retryable: boolean;
  readonly exitStatus: ExitStatus;
  readonly exit: number;
  /** Problems of the configuration with their places. */
  readonly problems: readonly ConfigProblem[];
}

export function commandError(error: unknown, exitStatus: ExitStatus): CommandError {
  const plain: CommandError = {
    ...{ code: null, cluster: null, why: '', next: '', retryable: false, problems: [] },
    message: error instanceof Error ? error.message : String(error),
    ...{ exitStatus, exit: EXIT_CODES[exitStatus] },
  };
  if (error instanceof ConfigInvalid) {
    const { problems } = error;
    const code = problems[0]?.code ?? 'CCM5001';
    return { ...plain, code, problems, next: 'Correct the files.' };
  }
  if (error instanceof UsageError || error instanceof CommanderError)
    return { ...plain, next: 'See --help.' };
  const refusal = error instanceof CliError ? error : cliErrorOf(error);
  if (refusal === null) return plain;
  const { code, cluster, why, fix: next, retryable } = refusal;
  return { ...plain, code, cluster, why, next, retryable };
}

/** The exit status of a command that meets each activity failure. */
const EXITS: Readonly<Record<FailureType, ExitStatus>> = {
  Throttled: 'failed',
  Unavailable: 'failed',
  Conflict: 'failed',
  Unreachable: 'failed',
  Timeout: 'failed',
  NoWorker: 'failed',
  UnknownStep: 'failed',
  Unguarded: 'halted',
  GateFailed: 'halted',
  ForeignEdit: 'refused',
  NoProof: 'refused',
  Forbidden: 'refused',
  Unauthorized: 'refused',
  FenceLost: 'refused',
  ForeignNode: 'refused',
  EvidenceLost: 'refused',
  AuthorityLost: 'refused',
  NotAuthorised: 'refused',
  Breach: 'halted',
  PreconditionFailed: 'refused',
  EffectNotSeen: 'halted',
  ClusterMismatch: 'refused',
  InvalidInput: 'configInvalid',
  StalePlan: 'refused',
  PreflightFailed: 'checksFailed',
  NotSupported: 'refused',
  AlreadyRunning: 'refused',
  Bug: 'failed',
};

/** Reasons in a failure's details that have their own page. */
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

/** A failure of the closed list as a CliError with its page; null for anything else. */
export function cliErrorOf(error: unknown): CliError | null {
  if (!(error instanceof Error) || !('type' in error)) return null;
  const { type } = error;
  if (typeof type !== 'string' || !isFailureType(type)) return null;
  const code = PAGES_OF_REASONS[reasonOf(error)] ?? FAILURE_CODES[type];
  const retryable = FAILURES[type] === 'retry';
  return new CliError(code, error.message, { exitStatus: EXITS[type], retryable });
}

/** The same, with the cluster's name: with forty clusters the operator has to know which one failed. */
export function refusalAt(cluster: string, error: unknown): unknown {
  const refusal = error instanceof CliError ? error : cliErrorOf(error);
  if (refusal === null || refusal.cluster !== null) return error;
  const { code, exitStatus, why, fix, state, retryable, message } = refusal;
  const named = message.startsWith(`${cluster}: `) ? message : `cluster ${cluster}: ${message}`;
  return new CliError(code, named, { exitStatus, why, fix, state, retryable, cluster });
}

/** Kept free of the activities' failures, which every command would otherwise load. */
function reasonOf(error: Error): string {
  const all: readonly unknown[] =
    'details' in error && Array.isArray(error.details) ? error.details : [];
  const [first] = all;
  if (typeof first !== 'object' || first === null || !('reason' in first)) return '';
  return String(first.reason);
}
