import { describe, expect, it } from '@jest/globals';
import type { FleetRunView } from '../../../cli/fleets/fleet-run.js';
import { fleetStatusDocument } from '../../../cli/fleets/fleet-status.js';
import { fleetScreen, FLEET_LINES } from '../../../cli/screens/fleet-screen.js';
import { approvalLines } from '../../../cli/screens/fleet-lists.js';
import { fleetExitStatus, logLine } from '../../../cli/screens/follow-fleet.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import { invocationOf } from '../typed-line.js';
import {
  ENDED,
  FAILED,
  GivenFleet,
  HELD,
  MINUTE,
  PARKED,
  plan,
  POLICY,
  rowPlans,
  SOAKING,
  WAVE,
} from '../../domain/fleet/given-fleet.js';
import { beginFleet } from '../../../domain/fleet/fleet-state.js';

const THEME = createTheme({ color: false, ascii: false });
const NOW = 1000 + 42 * MINUTE;

function runOf(state: FleetState | null, changes: Partial<FleetRunView> = {}): FleetRunView {
  return {
    ...{ fleet: 'prod', workflowId: 'fleet-migration/prod', runId: 'run-1', state },
    fleetRun: 'run-1',
    ...{ execution: 'running', startedAtMs: 1000, closedAtMs: null, historyEvents: 12 },
    ...{ actor: 'ana', reason: 'CHG-4711', files: [], silence: null, ...changes },
  };
}

function lines(run: FleetRunView, width = Infinity, height = FLEET_LINES): readonly string[] {
  return fleetScreen({ run, server: [], nowMs: NOW, width, height }, THEME);
}

function given(): FleetState {
  const groups = ['region=r1'];
  const fleet = new GivenFleet(
    {
      waves: [
        { ...WAVE, name: 'pilot' },
        { ...WAVE, name: 'main', approvals: { before: 1, after: 0 } },
      ],
      rows: rowPlans({ groups }, { groups }, { groups }, { groups }, { wave: 1 }, { wave: 1 }),
    },
    { inFlight: 3, unproven: 5, caps: { region: 2 } },
  ).tick(20 * MINUTE);
  return fleet.report(0, SOAKING).report(1, HELD).report(1, PARKED).state;
}

describe('the screen of a fleet', () => {
  it('a canary that rehearses its rollback is told from one that is rolled back', () => {
    const waves = [{ ...WAVE, rehearseRollback: true }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({ canary: true }) });
    fleet.command({ verb: 'pause' });
    expect(lines(runOf(fleet.report(0, ENDED).state))).toContain(
      '✔ 1 proven, to be rolled back, rehearsing · waits for resume (paused by bo: CHG-1) · c0',
    );
    fleet.command({ verb: 'resume' });
    expect(lines(runOf(fleet.state))).toContain('◌ 1 moving back, rehearsing · c0');
  });

  it('a cluster for which no worker has room is queued, before its start and after it', () => {
    const { state } = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 3, unproven: 3 })
      .answerStart(0, 'queued', 'worker of region eu is full or busy')
      .report(1, { ...HELD, heals: true, changed: false, signature: 'CCM4028 stopKcm' });
    expect(lines(runOf(state))).toEqual(
      expect.arrayContaining([
        '• 1 queued · waits for its guard: no worker of its region has room for it · c1',
        '• 1 waiting · waits for another try at 00:05Z (queued: worker of region eu is full or busy) · c0',
      ]),
    );
    expect(lines(runOf(state)).join('\n')).not.toMatch(/NEED YOU|stalled/);
    expect(fleetStatusDocument(runOf(state), NOW, [])).toMatchObject({
      status: {
        groups: expect.arrayContaining([
          expect.objectContaining({ phase: 'stalled', cause: 'queued' }),
        ]),
      },
    });
  });

  it('a cluster that waits for its guard without a place in flight is queued, too', () => {
    const { state } = new GivenFleet({ rows: rowPlans({}, {}) })
      .report(0, { ...HELD, heals: true, changed: false, signature: 'CCM4028 stopKcm' })
      .report(0, PARKED);
    expect(lines(runOf(state)).join('\n')).toMatch(
      / · waits for its guard: no worker of its region has room for it · c0/,
    );
  });

  it('what it shows to be typed asks the same server', () => {
    const fleet = new GivenFleet({ rows: rowPlans({ canary: true }, {}) });
    fleet.report(0, { ...HELD, heals: true, signature: 'CCM4015 handover' });
    const server = ['--state-dir', "it's", '--address', 'a:1'];
    const typed = `ccm-migrate approve c0 --state-dir 'it'\\''s' --address a:1`;
    const [run, height] = [runOf(fleet.state), FLEET_LINES];
    const shown = fleetScreen({ run, server, nowMs: NOW, width: Infinity, height }, THEME);
    expect(shown).toContain(`Next: ${typed}`);
    expect(shown.join('\n')).toContain(`→ ${typed}`);
    expect(approvalLines(fleet.state, THEME, { nowMs: NOW, server })[0]).toContain(`· ${typed}`);
    const { status } = fleetStatusDocument(run, NOW, server);
    expect(status).toMatchObject({ needs: [{ command: typed }] });
    const few = fleetScreen({ run, server, nowMs: NOW, width: Infinity, height: 1 }, THEME);
    expect(few.join('\n')).toContain(
      `ccm-migrate describe prod --state-dir 'it'\\''s' --address a:1`,
    );
    const silence = { code: 'CCM4018', detail: '' } as const;
    const silent = runOf(null, { execution: 'completed', silence, closedAtMs: NOW });
    const ended = fleetScreen({ run: silent, server, nowMs: NOW, width: Infinity, height }, THEME);
    expect(ended.at(-1)).toMatch(/audit export prod .*--address a:1$/);
  });

  it('a cluster that waits for its approval says so, and what to type', () => {
    const fleet = new GivenFleet({ rows: rowPlans({ canary: true }, {}) });
    fleet.report(0, { ...HELD, heals: true, signature: 'CCM4015 handover' });
    const shown = lines(runOf(fleet.state));
    expect(shown).toContain('    → ccm-migrate approve c0   or reject, describe');
    expect(shown).toContain('⚠ 1 stalled · waits for its approval: CCM4015 handover · c0');
    expect(shown.at(-1)).toBe('Next: ccm-migrate approve c0');
    expect(approvalLines(fleet.state, THEME, { nowMs: NOW, server: [] })).toEqual([
      '• c0 in wave main: its handover (anyone but ana) · ccm-migrate approve c0',
    ]);
    fleet.report(0, { ...HELD, heals: true, signature: 'paused' });
    expect(lines(runOf(fleet.state))).toContain(
      '⚠ 1 stalled · waits for a person to resume it · c0',
    );
    expect(approvalLines(fleet.state, THEME, { nowMs: NOW, server: [] })).toEqual([
      'no wave asks for an approval, and no cluster waits for one',
    ]);
    const healing = new GivenFleet().report(0, { ...HELD, heals: true, signature: 'CCM2004' });
    healing.tick(10 * MINUTE).report(0, PARKED);
    expect(lines(runOf(healing.state))).toContain(
      '॥ 1 held · waits for the cause to pass: CCM2004 · c0',
    );
  });

  it('a cluster whose rollback something blocks that can pass is told from one that can never go back', () => {
    const { state } = new GivenFleet({}, { inFlight: 5, unproven: 5 })
      .report(0, { ...HELD, reversibility: 'later' })
      .report(1, { ...HELD, reversibility: 'no' });
    expect(lines(runOf(state))).toContain(
      'Rollback:  0 can · 1 cannot now (c0) · 1 cannot (c1) · 3 not known yet',
    );
  });

  it('who is needed comes first, then limits, waves and groups of equal clusters', () => {
    expect(lines(runOf(given()))).toEqual([
      'prod  ◌ Progressing · 0/6 proven · 1 need you · 42 min',
      'NEED YOU',
      '  ✖ c1  held: CCM4008 removeMachine · since 00:20Z (22 min)',
      '    → ccm-migrate describe prod/c1   or retry, rollback',
      'By:        ana (CHG-4711) · revision 1 · began 00:00Z',
      'Limits:    2/3 in flight · 4/5 unproven · failure budget 1/100, 2 at risk · region=r1 2/2',
      'Rollback:  1 can · 0 cannot · 3 not known yet',
      'WAVE   STATE         PROVEN  WAIT  MOVING  HELD  FAILED  SOAK  BACK  SKIPPED  STOPPED',
      'pilot  running       -       -     2       1     -       1     -     -        -',
      'main   wave 1 first  -       2     -       -     -       -     -     -        -',
      '॥ pilot: 1 held · waits for a person: CCM4008 removeMachine · c1',
      '◌ pilot: 2 moving · c2, c3',
      '◌ pilot: 1 soaking · c0',
      '• main: 2 waiting · waits for wave 1 first · c4, c5',
      'Next: ccm-migrate describe prod/c1',
    ]);
  });

  it('when it ends is said below its limits, where that was asked', () => {
    const forecast = { kind: 'unknown', why: 'unfinished', unfinished: 2 } as const;
    const shown = lines(runOf(given(), { forecast }));
    expect(shown[7]).toMatch(/^Forecast: {2}not known: 2 clusters may not end/);
    const document = fleetStatusDocument(runOf(given(), { forecast }), NOW, []);
    expect(document).toMatchObject({ status: { forecast } });
    expect(fleetStatusDocument(runOf(given()), NOW, [])).toMatchObject({
      status: { forecast: null },
    });
  });

  it.each([30, 60, 90])(
    'at width %i columns are dropped from the right, never where a wave is',
    (width) => {
      const table = lines(runOf(given()), width).filter((line) => /^(WAVE|pilot|main) /.test(line));
      expect(table).toHaveLength(3);
      expect(table.every((line) => line.length <= width)).toBe(true);
      expect(table[2]).toMatch(/^main {3}wave 1 first/);
    },
  );

  it('each command on the screen can be typed as it stands', async () => {
    const typed = lines(runOf(given())).flatMap((line) => {
      const found = /(?:→|Next:) (ccm-migrate [^ ]+ [^ ]+)/.exec(line)?.[1];
      return found === undefined ? [] : [found];
    });
    expect(typed).toHaveLength(2);
    for (const line of typed) expect((await invocationOf(line))?.verb.name).toBe('describe');
  });

  it('1,000 clusters with many kinds of failures fit on one screen', () => {
    const rows = rowPlans(
      ...Array.from({ length: 1000 }, (_, index) => ({
        ...{ name: `eu-${index}`, wave: index < 12 ? 0 : 1, groups: [`region=r${index % 8}`] },
      })),
    );
    const waves = [
      { ...WAVE, name: 'pilot' },
      { ...WAVE, name: 'main' },
    ];
    const state = beginFleet(plan({ policy: POLICY, waves, rows }), 1000);
    const failed: FleetState = {
      ...state,
      rows: state.rows.map((row, index) =>
        index < 100
          ? { ...row, phase: 'failed', burntMs: 1000, signature: `CCM40${index % 60} step` }
          : row,
      ),
    };
    const shown = lines(runOf(failed), 120);
    expect(shown.length).toBeLessThanOrEqual(FLEET_LINES);
    expect(shown.join('\n')).toContain('… and ');
    expect(shown.join('\n')).toMatch(/… \d+ more groups: ccm-migrate describe prod/);
    expect(shown.at(-1)).toMatch(/^Next: ccm-migrate describe prod\/eu-/);
  });

  it('a fleet that ended under a build whose workers are gone has ended, and grows no older', () => {
    const detail = 'build old ended it';
    const run = runOf(null, {
      ...{ execution: 'completed', silence: { code: 'CCM4018', detail } },
      closedAtMs: runOf(null).startedAtMs + 60_000,
    });
    expect(lines(run)).toEqual([
      'prod  ⚠ Ended',
      expect.stringMatching(/^By: /),
      'State: it has ended; its clusters can only be shown by workers of its last build, which do not answer (CCM4018)',
      'Why:   build old ended it',
      'Next: ccm-migrate audit export prod --out prod.json',
    ]);
  });

  it('without an answer nothing is claimed about its clusters', () => {
    const run = runOf(null, { silence: { code: 'CCM4018', detail: '' } });
    expect(lines(run)).toEqual([
      'prod  ⚠ NoAnswer · 42 min',
      'By:    ana (CHG-4711)',
      'State: CCM4018 No worker serves this cluster; the clusters that were started go on by themselves',
      'Next: ccm-migrate explain CCM4018',
    ]);
    expect(fleetStatusDocument(run, NOW, [])['status']).toBeNull();
  });

  it('without an answer it shows what the search index counts, and what that does not tell', () => {
    const silence = { code: 'CCM4018', detail: '' } as const;
    const visible = {
      ...{ phases: { enableLeaderMigration: 9, soak: 1200 }, untaken: 2, paused: 3 },
      ...{ outcomes: { done: 118, failed: 1 }, withoutOutcome: 1 },
    };
    const run = runOf(null, { silence, visible });
    expect(lines(run).slice(3, 6)).toEqual([
      "Runs:  by the server's search index, which lags; clusters that wait are not in it",
      '       open    9 enableLeaderMigration · 1,200 soak · 2 not taken yet (3 paused)',
      '       closed  118 done · 1 failed · 1 without outcome',
    ]);
    expect(fleetStatusDocument(run, NOW, [])).toMatchObject({ visible, status: null });
    const none = { phases: {}, untaken: 0, paused: 0, outcomes: {}, withoutOutcome: 0 };
    expect(lines(runOf(null, { silence, visible: none })).slice(4, 6)).toEqual([
      '       open    0',
      '       closed  0',
    ]);
    expect(lines(runOf(null, { silence, visible: null }))).toHaveLength(4);
  });

  it('a fleet that has ended waits for nothing, and says nothing of what would have come', () => {
    const waves = [WAVE, { ...WAVE, name: 'last', approvals: { before: 1, after: 0 } }];
    const fleet = new GivenFleet({ waves, rows: rowPlans({}, { wave: 1 }) }).prove(0);
    fleet.command({ verb: 'set', inFlight: 9, unproven: 9 });
    expect(lines(runOf(fleet.state)).join('\n')).toContain('1 approval missing');
    fleet.command({ verb: 'stop' });
    const shown = lines(runOf(fleet.state));
    expect(shown.filter((line) => /missing|^Then|^Next|NEED/.test(line))).toEqual([]);
    expect(shown).toContainEqual(expect.stringMatching(/^last +over /));
  });

  it('a fleet whose run was terminated says what becomes of its clusters', () => {
    const run = runOf(given(), { execution: 'terminated', closedAtMs: 1000 + MINUTE });
    expect(lines(run).slice(0, 2)).toEqual([
      'prod  ✖ Terminated · 0/6 proven · 1 need you · 1 min',
      '⚠ its run is gone: each cluster that was started ends by itself, and no other starts',
    ]);
  });
});

describe('the watch of a fleet', () => {
  const held = (): FleetState =>
    new GivenFleet({ waves: [{ ...WAVE, approvals: { before: 1, after: 0 } }] }).state;
  const ended = new GivenFleet({ rows: rowPlans({}, {}) }).prove(0, 1).state;
  type Row = FleetState['rows'][number];
  const endedWith = (phase: Row['phase'], cause: Row['cause']): FleetRunView => {
    const rows = ended.rows.map((row, index) => (index === 0 ? { ...row, phase, cause } : row));
    return runOf({ ...ended, rows }, { execution: 'completed' });
  };
  const failed = new GivenFleet({ rows: rowPlans({}, {}) }).prove(0).report(1, FAILED).state;

  it.each<[string, FleetRunView, string | null]>([
    ['goes on while something moves', runOf(given()), null],
    ['ends where only people can go on', runOf(held()), 'halted'],
    ['goes on without an answer', runOf(null), null],
    ['ends with the fleet', runOf(ended, { execution: 'completed' }), 'reached'],
    ['ends badly with a failed cluster', runOf(failed, { execution: 'completed' }), 'halted'],
    ['ends badly with one that was not reached', endedWith('skipped', 'unreachable'), 'halted'],
    ['ends badly with one whose run was refused', endedWith('skipped', 'refused'), 'halted'],
    ['ends well without one that a person left out', endedWith('skipped', 'person'), 'reached'],
    ['says that one was rolled back', endedWith('back', 'none'), 'rolledBack'],
    ['and that one never began when it was', endedWith('skipped', 'rollback'), 'rolledBack'],
    [
      'ends without knowing how, where no worker tells',
      runOf(null, { execution: 'completed' }),
      'inconclusive',
    ],
    ['ends with a terminated run', runOf(null, { execution: 'terminated' }), 'halted'],
  ])('%s', (_case, run, status) => {
    expect(fleetExitStatus(run)).toBe(status);
  });

  it('a log has one line for each change, with what needs a person', () => {
    expect(logLine(runOf(given()))).toBe(
      'prod Progressing · 2 waiting, 2 moving, 1 held, 1 soaking · c1: held: CCM4008 removeMachine',
    );
  });
});
