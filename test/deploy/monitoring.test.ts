import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { parse } from 'yaml';
import { eventMetrics } from '../../cli/server/events/event-metrics.js';
import { hookMetrics } from '../../cli/server/hook-metrics.js';
import { HOOK_FORMATS } from '../../config/automation/hook-payloads.js';
import { freePort } from '../../devserver/free-port.js';
import { VERB_LABEL } from '../../domain/automation/alert.js';
import { ENDED_FLEET } from '../../domain/fleet/fleet-gauges.js';
import { installRuntime } from '../../workers/telemetry.js';
import { ownSeriesIn, scrape, type Series } from '../support/scraped-metrics.js';
import { exprsOf, namesIn, selectorsIn, type Dashboard, type RuleFile } from './used-metrics.js';

const FOLDER = join(import.meta.dirname, '../../deploy/monitoring');
const TESTS = join(import.meta.dirname, 'rule-tests');
const ruleFiles = readdirSync(FOLDER).filter((name) => name.endsWith('-rules.yaml'));

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const rules = ruleFiles.flatMap((name) =>
  (parse(read(name)) as RuleFile).groups.flatMap((group) => group.rules),
);
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;
const exprs: readonly string[] = [...rules.map(({ expr }) => expr), ...exprsOf(dashboard)];

/** Each series that a worker and a server can show, with one sample where nothing is shown by itself. */
let shown: readonly Series[];
beforeAll(async () => {
  const port = await freePort('127.0.0.1');
  const worker = installRuntime(pino({ level: 'silent' }), { host: '127.0.0.1', port });
  worker.countRequest({ method: 'GET', code: null });
  worker.recordGuardGap(1_000);
  worker.showLoop(0.5, true);
  worker.fleets.show('prod', ENDED_FLEET, 0);
  worker.fleets.showListed(0);
  const server = hookMetrics();
  server.answered('alertmanager', 200);
  const events = eventMetrics({ delivered: 0, refused: 0, dropped: 0, oldestSeconds: 0 });
  const page = server.text({ tokensLive: 1, tokenFileValid: true }) + events;
  shown = [...(await scrape(`127.0.0.1:${String(port)}`)), ...ownSeriesIn(page)];
});
afterAll(() => Runtime.instance().shutdown());

/** What Prometheus adds to each series, and to each bucket. */
const BY_PROMETHEUS = ['instance', 'le'];
/** Their values are answers of others; those of the other labels are words of our own. */
const OPEN_LABELS = ['code', 'status', 'fleet'];

describe('rules and dashboard', () => {
  const records = rules.flatMap(({ record }) => record ?? []);

  it('ask for something each', () => {
    expect(ruleFiles.length).toBeGreaterThan(2);
    expect(exprs.filter((expr) => namesIn(expr).length === 0)).toEqual([]);
  });

  it('ask only for metrics that a worker or a server shows, or that a rule records', () => {
    const known = new Set([...shown.map(({ name }) => name), ...records]);
    expect(exprs.flatMap(namesIn).filter((name) => !known.has(name))).toEqual([]);
  });

  it('use each rule that records, so that none computes for no reader', () => {
    const used = new Set(exprs.flatMap(namesIn));
    expect(records.filter((name) => !used.has(name))).toEqual([]);
  });

  it('show every figure that there is, but for the sums that Prometheus does not need', () => {
    const used = new Set(exprs.flatMap(namesIn));
    const unused = new Set(shown.map(({ name }) => name).filter((name) => !used.has(name)));
    expect([...unused].sort()).toEqual([
      'ccm_migrate_guard_gap_seconds_count',
      'ccm_migrate_guard_gap_seconds_sum',
    ]);
  });

  it('select by labels and words that these metrics have', () => {
    const selectors = exprs.flatMap(selectorsIn);
    expect(selectors.length).toBeGreaterThan(5);
    const wrong = selectors.filter(({ metric, label, words }) => {
      const values = shown
        .filter(({ name }) => name === metric)
        .flatMap(({ labels }) => labels[label] ?? []);
      const isOpen = OPEN_LABELS.includes(label);
      return values.length === 0 || (!isOpen && words.some((word) => !values.includes(word)));
    });
    expect(wrong).toEqual([]);
  });

  it('group by labels that there are', () => {
    const labels = new Set([
      ...BY_PROMETHEUS,
      ...shown.flatMap((series) => Object.keys(series.labels)),
    ]);
    const grouped = exprs.flatMap((expr) =>
      [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, by = '']) => by.split(/, */)),
    );
    expect(grouped.length).toBeGreaterThan(10);
    expect(grouped.filter((label) => !labels.has(label))).toEqual([]);
  });

  it('no alert of our own asks a run for anything', () => {
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(10);
    const asking = alerts.filter((rule) =>
      [rule.labels, rule.annotations].some((words) => Object.hasOwn(words ?? {}, VERB_LABEL)),
    );
    expect(asking).toEqual([]);
  });
});

describe('the receiver of Alertmanager', () => {
  const { route, receivers } = parse(read('alertmanager.yaml')) as {
    readonly route: { readonly routes: readonly { receiver: string; matchers?: string[] }[] };
    readonly receivers: readonly {
      readonly name: string;
      readonly webhook_configs?: readonly { url: string; send_resolved: boolean }[];
    }[];
  };

  it('gets only alerts that ask for something by the label', () => {
    const [ours] = route.routes.filter(({ receiver }) => receiver === 'ccm-migrate');
    expect(ours?.matchers).toEqual([`${VERB_LABEL} =~ "pause|rollBack"`]);
  });

  it('sends them, and their end, to a hook that is served', () => {
    const hooks = receivers.flatMap(({ webhook_configs = [] }) => webhook_configs);
    expect(hooks.map(({ send_resolved }) => send_resolved)).toEqual([true]);
    expect(HOOK_FORMATS.map((format) => `/v1/hooks/${format}`)).toContain(
      new URL(hooks[0]?.url ?? '').pathname,
    );
  });
});

const promtool = (...args: readonly string[]): { readonly status: number | null; text: string } => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, text: `${stdout}${stderr}` };
};
const isInstalled = promtool('--version').status === 0;

(isInstalled ? describe : describe.skip)(
  `promtool${isInstalled ? '' : ' (not installed here; Debian: prometheus)'}`,
  () => {
    it.each(ruleFiles)('finds nothing wrong in %s', (name) => {
      const { status, text } = promtool('check', 'rules', '--lint=all', join(FOLDER, name));
      expect(text).toContain('SUCCESS');
      expect(status).toBe(0);
    });

    it.each(ruleFiles)('sees the alerts of %s fire when they should, and not before', (name) => {
      const { status, text } = promtool('test', 'rules', join(TESTS, name));
      expect(text).toContain('SUCCESS');
      expect(status).toBe(0);
    });

    it('tests every alert', () => {
      const tests = ruleFiles.map((name) => readFileSync(join(TESTS, name), 'utf8')).join('\n');
      const alerts = rules.flatMap(({ alert }) => alert ?? []);
      expect(alerts.filter((alert) => !tests.includes(`alertname: ${alert}\n`))).toEqual([]);
    });
  },
);
