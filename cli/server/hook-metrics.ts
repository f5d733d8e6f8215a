import { HOOK_OUTCOMES, type HookOutcome } from '../../domain/automation/hook-answer.js';
import { HOOK_FORMATS, type HookFormat } from '../../config/automation/hook-payloads.js';

const REFUSALS = ['missing', 'unknown', 'expired'] as const;

/** The counters of a server of hooks. No label holds what a sender wrote. */
export interface HookMetrics {
  readonly answered: (hook: HookFormat, status: number) => void;
  readonly alert: (outcome: HookOutcome) => void;
  /** 401: a sender drops what it could not deliver, so that someone has to notice. */
  readonly unauthorized: (reason: (typeof REFUSALS)[number]) => void;
  /** 403, for the same reason. */
  readonly forbidden: () => void;
  /** In the text format of Prometheus. */
  readonly text: (gauges: HookGauges) => string;
}

export interface HookGauges {
  readonly tokensLive: number;
  readonly tokenFileValid: boolean;
}

export function hookMetrics(): HookMetrics {
  const requests = counter();
  const alerts = counter(HOOK_OUTCOMES.map((outcome) => `{outcome="${outcome}"}`));
  const unauthorized = counter(REFUSALS.map((reason) => `{reason="${reason}"}`));
  const forbidden = counter(['']);
  return {
    answered: (hook, status) => {
      requests.add(`{hook="${hook}",status="${String(status)}"}`);
    },
    alert: (outcome) => {
      alerts.add(`{outcome="${outcome}"}`);
    },
    unauthorized: (reason) => {
      unauthorized.add(`{reason="${reason}"}`);
    },
    forbidden: () => {
      forbidden.add('');
    },
    text: ({ tokensLive, tokenFileValid }) =>
      [
        ...requests.lines('ccm_migrate_hook_requests_total', `Answers to ${HOOK_FORMATS.join()}`),
        ...alerts.lines('ccm_migrate_hook_alerts_total', 'What became of alerts at their runs'),
        ...unauthorized.lines(
          'ccm_migrate_hook_unauthorized_total',
          'Callers without a token (401)',
        ),
        ...forbidden.lines('ccm_migrate_hook_forbidden_total', 'Orders beyond a token (403)'),
        ...gauge('ccm_migrate_hook_tokens_live', 'Tokens that count now', tokensLive),
        ...gauge(
          'ccm_migrate_hook_token_file_valid',
          '0 while what was read before still counts',
          Number(tokenFileValid),
        ),
        '',
      ].join('\n'),
  };
}

interface Counter {
  readonly add: (labels: string) => void;
  readonly lines: (name: string, help: string) => readonly string[];
}

/** A series that may come begins at 0, so that its first increase is seen. */
function counter(expected: readonly string[] = []): Counter {
  const series = new Map(expected.map((labels) => [labels, 0]));
  return {
    add: (labels) => {
      series.set(labels, (series.get(labels) ?? 0) + 1);
    },
    lines: (name, help) => [
      ...[`# HELP ${name} ${help}`, `# TYPE ${name} counter`],
      ...[...series].map(([labels, count]) => `${name}${labels} ${String(count)}`),
    ],
  };
}

function gauge(name: string, help: string, value: number): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${String(value)}`];
}
