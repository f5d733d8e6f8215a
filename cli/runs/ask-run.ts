import type { Client } from '@temporalio/client';
import { QueryNotRegisteredError, ServiceError } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import type { FindingCode } from '../../domain/findings/catalogue.js';

/** Why a run does not answer: nobody is there, the worker has another program, or ours has a mistake. */
export interface Silence {
  readonly code: Extract<FindingCode, 'CCM4013' | 'CCM4018' | 'CCM4029'>;
  /** In the words of the worker; empty when there is none. */
  readonly detail: string;
}

export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'unanswered'; readonly silence: Silence };

export interface RunQuestion<T, Args extends unknown[]> {
  readonly workflowId: string;
  /** The latest run unless given. */
  readonly runId?: string;
  readonly query: QueryDefinition<T, Args>;
  readonly args: Args;
  readonly withinMs: number;
}

/**
 * Asks a run something. That nobody answers in time is an answer too, with its reason; that the server cannot be
 * reached or refuses us is an error, and is thrown.
 */
export async function askRun<T, Args extends unknown[]>(
  client: Client,
  question: RunQuestion<T, Args>,
): Promise<Asked<T>> {
  const { workflowId, runId, query, args, withinMs } = question;
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    const value = await client.connection.withDeadline(Date.now() + withinMs, () =>
      handle.query(query, ...args),
    );
    return { kind: 'answered', value };
  } catch (error) {
    // A worker took the query and failed: it could not replay the run, or the handler threw.
    if (error instanceof QueryNotRegisteredError) {
      return { kind: 'unanswered', silence: silenceOf(error.message) };
    }
    if (!isNoAnswer(error)) throw error;
    return { kind: 'unanswered', silence: await lastFailure(client, workflowId, runId) };
  }
}

/**
 * gRPC: nobody took the query in time (a server under load notices that first, and then calls it CANCELLED; nothing here
 * cancels a query), or the server does not ask because the last workflow tasks failed.
 */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const FAILED_PRECONDITION = 9;
const NO_ANSWER: readonly unknown[] = [CANCELLED, DEADLINE_EXCEEDED, FAILED_PRECONDITION];

function isNoAnswer(error: unknown): boolean {
  const cause: unknown = error instanceof ServiceError ? error.cause : error;
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return false;
  return NO_ANSWER.includes(cause.code);
}

const NOBODY: Silence = { code: 'CCM4018', detail: '' };

/** Enough to reach the last workflow task over a burst of signals and activities. */
const EVENTS_READ = 50;

/** What the last workflow task of a run failed of, if it failed: a failing one is repeated and makes no more events. */
async function lastFailure(client: Client, workflowId: string, runId = ''): Promise<Silence> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: EVENTS_READ,
  });
  const events = history?.events ?? [];
  const last = events.find(
    ({ workflowTaskCompletedEventAttributes, workflowTaskFailedEventAttributes }) =>
      Boolean(workflowTaskCompletedEventAttributes) ||
      REPORTED_BY_WORKERS.has(workflowTaskFailedEventAttributes?.cause ?? 0),
  );
  const failed = last?.workflowTaskFailedEventAttributes;
  return failed ? silenceOf(failed.failure?.message ?? '') : NOBODY;
}

/**
 * WORKFLOW_WORKER_UNHANDLED_FAILURE and NON_DETERMINISTIC_ERROR of temporal/api/enums/v1/failed_cause.proto. Others,
 * such as a command that came too late for a signal, are the server's own and cured by the next attempt.
 */
const REPORTED_BY_WORKERS: ReadonlySet<number> = new Set([14, 24]);

/** How Temporal's workers say that a history is not what their code does, or that they lack a query of ours. */
const OTHER_CODE = /TMPRL1100|[Nn]on-?determinis|did not register a handler/;

function silenceOf(message: string): Silence {
  return { code: OTHER_CODE.test(message) ? 'CCM4029' : 'CCM4013', detail: message };
}
