import { describe, expect, it } from '@jest/globals';
import { runList } from '../../../cli/screens/run-list.js';
import { runTree, silenceLines, transitions } from '../../../cli/screens/run-tree.js';
import { fleetScreen } from '../../../cli/screens/fleet-screen.js';
import { commandLines } from '../../../cli/screens/fleet-lists.js';
import type { FleetRunView } from '../../../cli/fleets/fleet-run.js';
import { oneLine } from '../../../domain/findings/plain-text.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { GivenFleet, rowPlans } from '../../domain/fleet/given-fleet.js';
import { ran } from '../fake-terminal.js';
import { endedView, FINDING, statusOf, viewOf } from '../given-runs.js';

const FORGED = 'al\u001b[31mice\n✔ prod-1: Completed';
const theme = createTheme({ color: false, ascii: false });
const NOW = { nowMs: 1_050_000, width: 200 };

const who = { actor: FORGED, reason: FORGED };
const status = statusOf({ pause: 'paused', pausedBy: who, requestedBy: who });
const view = viewOf({ actor: FORGED, reason: FORGED, cluster: FORGED, status });
const findings = [{ ...FINDING, subject: FORGED, seen: FORGED }];
const held = viewOf({ status: statusOf({ holdReason: 'failure', findings }) });
const ended = endedView({ summary: FORGED, closing: FORGED });
const { state } = new GivenFleet({ rows: rowPlans({}) });
const answer = { verb: 'pause', actor: FORGED, atMs: 1, state: 'applied', detail: FORGED };
const run: FleetRunView = {
  ...{ fleet: 'prod', workflowId: 'fleet-migration/prod', runId: 'r', fleetRun: 'r', state: null },
  ...{ startedAtMs: 0, closedAtMs: null, historyEvents: 12, files: [] },
  execution: 'running',
  ...{ actor: FORGED, reason: FORGED, silence: null },
};

describe('a claimed text in a line', () => {
  it.each<[string, () => readonly string[]]>([
    ['the tree of a run', () => runTree({ view, status, extra: [], ...NOW }, theme)],
    [
      'the tree of an ended run',
      () => runTree({ view: ended, status: null, extra: [], ...NOW }, theme),
    ],
    ['a log', () => transitions(null, held, theme)],
    ['a list', () => runList([view, ended], theme, NOW)],
    [
      'the silence of a run',
      () => silenceLines({ silence: { code: 'CCM4013', detail: FORGED } }, theme),
    ],
    ['a fleet', () => fleetScreen({ run, server: [], height: 20, ...NOW }, theme)],
    [
      'commands',
      () => commandLines({ ...state, answers: { a: answer } } as unknown as typeof state, 5),
    ],
  ])('starts no line and has no colour: %s', (_where, lines) => {
    const shown = lines();
    expect(shown.join(' ')).toContain('ice ✔');
    for (const line of shown) expect(oneLine(line)).toBe(line);
  });

  it.each(['actor', 'reason', 'ticket'])('is not taken from --%s', async (name) => {
    const words = ['pause', 'c', '--reason', 'x', `--${name}`, FORGED, '--address', '127.0.0.1:1'];
    const { exit, stderr } = await ran(words);
    expect([exit, stderr]).toEqual([64, expect.stringContaining(`--${name} has a line end`)]);
  });
});
