import { describe, expect, it } from '@jest/globals';
import type { RunView } from '../../../cli/runs/run-view.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { runList } from '../../../cli/screens/run-list.js';
import { contactOf, endedView, FINDING, statusOf, viewOf } from '../given-runs.js';

const THEME = createTheme({ color: false, ascii: false });
const NOW = 1_042_000;

const OUTAGE = { sinceMs: 1_000_000, attempts: 9, error: 'ECONNREFUSED', nextTryAtMs: null };

const VIEWS: readonly RunView[] = [
  { ...endedView(), cluster: 'a-done' },
  viewOf({ cluster: 'b-running' }),
  viewOf({
    cluster: 'c-paused',
    status: statusOf({
      ...{ pause: 'paused', step: null },
      nextStep: { name: 'removeMachine', node: 'cp-3', why: '', phase: 'replaceNodes' },
      pausedBy: { actor: 'bo@corp', reason: 'latency' },
    }),
  }),
  viewOf({ cluster: 'd-away', contact: contactOf({ outage: OUTAGE }) }),
  viewOf({
    cluster: 'e-held',
    contact: contactOf({ seen: null }),
    status: statusOf({ ...{ holdReason: 'gates', step: null }, findings: [FINDING] }),
  }),
  viewOf({ cluster: 'g-parked', status: statusOf({ step: null, parkedBy: 'prod-eu' }) }),
  viewOf({ cluster: 'f-silent', status: null, contact: null }),
];

function table(width = Infinity): readonly string[] {
  return runList(VIEWS, THEME, { nowMs: NOW, width });
}

describe('the list of runs', () => {
  it('the list shows outcome, wait and actor of each run, those that need an operator first', () => {
    expect(table().map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'CLUSTER | STATE | LEADER | AGE | STEP | NO LEADER | INFO',
      'd-away | ✖ Unreachable | not known | 42.0 s | enableLeaderMigration cp-2 | 1.9 s | ECONNREFUSED',
      'f-silent | ⚠ NoWorker | not known | 42.0 s | - | not known',
      'e-held | ॥ Held | not known | 42.0 s | enableLeaderMigration | not known | CCM1201',
      'g-parked | ॥ Parked | KCM | 42.0 s | enableLeaderMigration | 1.9 s | by fleet prod-eu',
      'c-paused | ॥ Paused | KCM | 42.0 s | next removeMachine cp-3 | 1.9 s | by bo@corp: "latency"',
      'a-done | ✔ Completed | - | 1 min 30 s | - | 4.0 s | the CCM owns the cloud controllers',
      'b-running | ◌ Progressing | KCM | 42.0 s | enableLeaderMigration cp-2 | 1.9 s',
    ]);
  });

  it.each([20, 40, 60, 90])(
    'the list drops columns from the right at width %i, never the state',
    (width) => {
      const lines = table(width);
      expect(lines[1]).toContain('d-away     ✖ Unreachable');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(
        Math.max(width, 25),
      );
    },
  );
});
