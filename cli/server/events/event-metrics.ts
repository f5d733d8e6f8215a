import type { OutboxFigures } from './outbox.js';

/** What became of events about runs, in the text format of Prometheus. */
export function eventMetrics({
  delivered,
  refused,
  dropped,
  oldestSeconds,
}: OutboxFigures): string {
  const name = 'ccm_migrate_events';
  const outcomes = Object.entries({ delivered, refused, dropped });
  return [
    `# HELP ${name}_total Events about runs, by what became of them`,
    `# TYPE ${name}_total counter`,
    ...outcomes.map(([outcome, count]) => `${name}_total{outcome="${outcome}"} ${String(count)}`),
    `# HELP ${name}_oldest_seconds Age of the event that has waited longest for its receiver`,
    `# TYPE ${name}_oldest_seconds gauge`,
    `${name}_oldest_seconds ${String(oldestSeconds)}`,
    '',
  ].join('\n');
}
