import { describe, expect, it } from '@jest/globals';
import { createTheme, wantsAscii, wantsColor } from '../../../cli/terminal/theme.js';
import { runTree } from '../../../cli/screens/run-tree.js';
import { endedView, FINDING, statusOf, viewOf } from '../given-runs.js';

const PLAIN = createTheme({ color: false, ascii: false });
const ASCII = createTheme({ color: false, ascii: true });
const COLOUR = createTheme({ color: true, ascii: false });

const RUNNING = { view: viewOf(), status: statusOf(), nowMs: 1_042_000, extra: [] };

describe('runTree', () => {
  it('the tree shows owner, completed steps and the step in flight', () => {
    expect(runTree(RUNNING, PLAIN).join('\n')).toBe(
      `prod-1  ◌ Progressing · 42.0 s
Target:   CCM · requested by ana@corp: CHG-4711
Phase:    enableLeaderMigration · enableLeaderMigration cp-2 · 2 steps done
Leader:   KCM on cp-2, seen 2.0 s ago · 1 move, two leaders for 0.0 s, none for 1.9 s
Rollback: possible
Run:      cluster-migration/uid-1 · started 1970-01-01 00:16:40Z by ana@corp (CHG-4711)

├── ✔ grantLeaseAccess
│   └── ✔ grantLeaseAccess                    0.4 s
└── ◌ enableLeaderMigration
    ├── ✔ enableLeaderMigration cp-3          3.2 s  no leader for 1.9 s
    └── ◌ enableLeaderMigration cp-2         12.0 s  cp-2 is not protected yet`,
    );
  });

  it('the detailed tree shows the proof of each step', () => {
    expect(runTree({ ...RUNNING, detailed: true }, PLAIN).join('\n')).toContain(
      '3.2 s  new process runs with it · no leader for 1.9 s',
    );
  });

  it('the tree has the same content in ASCII', () => {
    const text = runTree(RUNNING, ASCII).join('\n');
    expect(text).toContain('RUN Progressing');
    expect(text).toContain('|-- OK grantLeaseAccess');
    expect(text).toMatch(/^[\x20-\x7e\n·]*$/);
  });

  it('the tree has colours only where the theme allows them', () => {
    expect(runTree(RUNNING, COLOUR).join('\n')).toContain('\u001b[32m✔\u001b[39m');
    expect(runTree(RUNNING, PLAIN).join('\n')).not.toContain('\u001b');
  });

  it('a held run shows why it holds and the next command', () => {
    const status = statusOf({
      ...{ step: null, holdReason: 'gates', findings: [FINDING] },
      nextCommand: 'ccm-migrate retry prod-1',
    });
    const text = runTree({ ...RUNNING, view: viewOf({ status }), status }, PLAIN).join('\n');
    expect(text).toContain('॥ Held');
    expect(text).toContain('Next:     ccm-migrate retry prod-1');
    expect(text).toContain(
      '⚠ CCM1201 node cp-2: Ready is False for 40 s\n  why   it would be deleted\n  fix   bring it back',
    );
  });

  it('a finished rollback is shown as a success', () => {
    const view = endedView({ kind: 'rolledBack', target: 'kcm' });
    const [first] = runTree({ ...RUNNING, view, status: null }, PLAIN);
    expect(first).toContain('✔ RolledBack after 1 min 30 s');
  });

  it.each([
    [{ execution: 'terminated' as const, status: null }, '✖ Terminated'],
    [{ execution: 'failed' as const, status: null }, '✖ Failed'],
    [{ execution: 'cancelled' as const, status: null }, '॥ Cancelled'],
    [{ status: null }, '⚠ NoWorker'],
    [{ status: null, silence: { code: 'CCM4029' as const, detail: '' } }, '✖ OtherCode'],
    [{ status: null, silence: { code: 'CCM4013' as const, detail: '' } }, '✖ Failing'],
    [{ status: statusOf({ pause: 'paused' }) }, '॥ Paused'],
    [{ status: statusOf({ pause: 'pausing' }) }, '◌ Pausing'],
    [{ status: statusOf({ holdReason: 'approval' }) }, '• WaitsForApproval'],
  ])('the state is named beside its mark, case %#', (changes, expected) => {
    const view = viewOf(changes);
    expect(runTree({ ...RUNNING, view, status: view.status }, PLAIN)[0]).toContain(expected);
  });
});

describe('colours and letters', () => {
  it.each<[string, Parameters<typeof wantsColor>, boolean]>([
    ['always wins over NO_COLOR', ['always', { NO_COLOR: '1' }, false], true],
    ['never wins over FORCE_COLOR', ['never', { FORCE_COLOR: '1' }, true], false],
    ['NO_COLOR', ['auto', { NO_COLOR: '1' }, true], false],
    ['an empty NO_COLOR is ignored', ['auto', { NO_COLOR: '' }, true], true],
    ['FORCE_COLOR', ['auto', { FORCE_COLOR: '1' }, false], true],
    ['FORCE_COLOR=0', ['auto', { FORCE_COLOR: '0' }, true], false],
    ['a pipe', ['auto', {}, false], false],
    ['TERM=dumb', ['auto', { TERM: 'dumb' }, true], false],
    ['a screen', ['auto', {}, true], true],
  ])('flags and environment decide about colours: %s', (_case, given, expected) => {
    expect(wantsColor(...given)).toBe(expected);
  });

  it.each([
    [{ CCM_MIGRATE_ASCII: '1', LANG: 'C.UTF-8' }, true],
    [{ LANG: 'C' }, true],
    [{ LANG: 'de_DE.UTF-8' }, false],
    [{ LC_ALL: 'POSIX', LANG: 'de_DE.UTF-8' }, true],
    [{}, false],
  ])('the environment %j asks for ASCII: %s', (env, expected) => {
    expect(wantsAscii(env)).toBe(expected);
  });
});
