import { pino, type Logger } from 'pino';
import { DefaultLogger, type Logger as TemporalLogger, type LogMetadata } from '@temporalio/worker';
import type { ActivityLog } from '../activities/dependencies.js';
import type { LogLevel } from '../config/environment.js';
import { redact, redactJson } from '../domain/redaction.js';

/** JSON lines on stderr (stdout is for the ready line). Every line passes the redaction, whatever its source. */
export function createLog(level: LogLevel, destination?: NodeJS.WritableStream): Logger {
  const options = {
    level,
    base: { service: 'ccm-migrate-worker', pid: process.pid },
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: (line: string) => redact(bounded(line)) },
  };
  return destination === undefined
    ? pino(options, pino.destination({ fd: 2, sync: true }))
    : pino(options, destination);
}

/** Redaction takes time, and people read logs: longer lines are cut and marked. */
const LONGEST_LINE = 256 * 1024;

function bounded(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const msg = `a line of ${String(line.length)} characters was cut`;
  return `${JSON.stringify({ level: 'warn', msg, begins: line.slice(0, LONGEST_LINE / 4) })}\n`;
}

export function activityLog(log: Logger): ActivityLog {
  return {
    info: (message, fields) => {
      log.info(plain(fields), message);
    },
    warn: (message, fields) => {
      log.warn(plain(fields), message);
    },
  };
}

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** What the SDK logs, with the names of workflow and activity but without their contents. */
export function temporalLog(log: Logger): TemporalLogger {
  return new DefaultLogger('TRACE', ({ level, message, meta }) => {
    log[LEVELS[level]](named(meta), message);
  });
}

const NAMED = [
  'workflowId',
  'runId',
  'workflowType',
  'activityType',
  'activityId',
  'attempt',
  'taskQueue',
  'sdkComponent',
  'state',
];

function named(meta: LogMetadata | undefined): object {
  const kept = Object.entries(meta ?? {}).filter(([name]) => NAMED.includes(name));
  const causes = [...causesOf(meta?.['error']), ...failureOf(meta?.['failure'])];
  return {
    ...Object.fromEntries(kept),
    ...(causes.length === 0 ? {} : { error: causes.join(': ') }),
    ...(causes.some((cause) => NONDETERMINISM.test(cause)) ? { code: 'CCM4029' } : {}),
  };
}

/** An error and its causes, outermost first. */
function causesOf(error: unknown): readonly string[] {
  return error instanceof Error ? [error.message, ...causesOf(error.cause)] : [];
}

/** The SDK's core passes a failure on as Rust prints it; only its message is useful to people. */
function failureOf(failure: unknown): readonly string[] {
  if (typeof failure !== 'string') return [];
  const message = /message: "(?<text>(?:[^"\\]|\\.)*)"/.exec(failure)?.groups?.['text'];
  return [message ?? failure.slice(0, LONGEST_FAILURE)];
}

const LONGEST_FAILURE = 500;

/** Rule of Temporal's SDKs: the history does not match what this code does. */
const NONDETERMINISM = /TMPRL1100/;

function plain(fields: Readonly<Record<string, unknown>> | undefined): object {
  const redacted = redactJson(fields ?? {});
  return typeof redacted === 'object' && redacted !== null ? redacted : {};
}
