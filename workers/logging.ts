import { pino, type Logger } from 'pino';
import type {
  Logger as TemporalLogger,
  LogLevel as TemporalLevel,
  LogMetadata,
} from '@temporalio/worker';
import type { ActivityLog } from '../activities/dependencies.js';
import type { LogLevel } from '../config/environment.js';
import { redact, redactJson } from '../domain/redaction.js';

/** JSON lines on stderr (stdout is for the ready line). Everything passes the redaction, whoever logs it. */
export function createLog(level: LogLevel, destination?: NodeJS.WritableStream): Logger {
  const options = {
    level,
    base: { service: 'ccm-migrate-worker', pid: process.pid },
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: (line: string) => redact(line) },
  };
  return destination === undefined
    ? pino(options, pino.destination({ fd: 2, sync: true }))
    : pino(options, destination);
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

/** What the SDK says, with the names of workflow and activity but without their contents. */
export function temporalLog(log: Logger): TemporalLogger {
  const write = (level: TemporalLevel, message: string, meta?: LogMetadata): void => {
    log[LEVELS[level]](named(meta), message);
  };
  return {
    log: write,
    trace: (message, meta) => {
      write('TRACE', message, meta);
    },
    debug: (message, meta) => {
      write('DEBUG', message, meta);
    },
    info: (message, meta) => {
      write('INFO', message, meta);
    },
    warn: (message, meta) => {
      write('WARN', message, meta);
    },
    error: (message, meta) => {
      write('ERROR', message, meta);
    },
  };
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
  const error: unknown = meta?.['error'];
  return {
    ...Object.fromEntries(kept),
    ...(error instanceof Error ? { error: error.message } : {}),
  };
}

function plain(fields: Readonly<Record<string, unknown>> | undefined): object {
  const redacted = redactJson(fields ?? {});
  return typeof redacted === 'object' && redacted !== null ? redacted : {};
}
