import { describe, expect, it } from '@jest/globals';
import { createTheme } from '../../../cli/terminal/theme.js';
import { createPainter } from '../../../cli/screens/painter.js';
import { transitions } from '../../../cli/screens/run-tree.js';
import { fakeTerminal } from '../fake-terminal.js';
import { endedView, FINDING, statusOf, viewOf } from '../given-runs.js';

const THEME = createTheme({ color: false, ascii: false });

describe('transitions', () => {
  it('the first observation reports everything', () => {
    expect(transitions(null, viewOf(), THEME)).toEqual([
      '◌ Progressing, target CCM',
      '✔ grantLeaseAccess grantLeaseAccess in 0.4 s: Role and RoleBinding created',
      '✔ enableLeaderMigration enableLeaderMigration cp-3 in 3.2 s: new process runs with it · no leader for 1.9 s',
      '◌ enableLeaderMigration cp-2: cp-2 is not protected yet',
    ]);
  });

  it('an unchanged run reports nothing', () => {
    expect(transitions(viewOf(), viewOf({ historyEvents: 44 }), THEME)).toEqual([]);
  });

  it('a repeated step is reported again', () => {
    const done = statusOf().stepsDone;
    const again = viewOf({ status: statusOf({ stepsDone: [...done, ...done.slice(1)] }) });
    expect(transitions(viewOf(), again, THEME)).toHaveLength(2);
  });

  it('an unanswered query in between repeats nothing', () => {
    const silent = viewOf({ status: null });
    const holdReason = { holdReason: 'gates', findings: [FINDING] } as const;
    for (const status of [statusOf(), statusOf(holdReason)])
      expect(transitions(silent, viewOf({ status }), THEME, status)).toHaveLength(1);
  });

  it('the hold reason is reported once', () => {
    const held = viewOf({
      status: statusOf({
        holdReason: 'gates',
        findings: [FINDING],
        nextCommand: 'ccm-migrate retry',
      }),
    });
    expect(transitions(viewOf(), held, THEME)).toEqual([
      '॥ Held, target CCM',
      '⚠ CCM1201 node cp-2: Ready is False for 40 s; bring it back',
      'next: ccm-migrate retry',
    ]);
    expect(transitions(held, held, THEME)).toEqual([]);
    const named = transitions(viewOf(), held, THEME, null, ['--address', 'localhost:7999']);
    expect(named.at(-1)).toBe('next: ccm-migrate retry --address localhost:7999');
  });

  it('the end of the run is reported', () => {
    expect(transitions(viewOf(), endedView(), THEME)).toEqual(['✔ Completed']);
  });

  it('what the gates could not see is told once, at the end', () => {
    const ended = endedView({ notes: [{ gate: 'nodeSyncErrors', detail: '0 of 3 events' }] });
    const told = ['✔ Completed', 'noted: nodeSyncErrors: 0 of 3 events'];
    expect(transitions(viewOf(), ended, THEME)).toEqual(told);
    expect(transitions(null, ended, THEME)).toEqual(told);
    expect(transitions(ended, ended, THEME)).toEqual([]);
  });
});

describe('painter', () => {
  it('the painter repaints its block, and not at all when nothing changed', () => {
    const terminal = fakeTerminal({ screen: true });
    const painter = createPainter(terminal);
    painter.paint(['one', 'two']);
    painter.paint(['one', 'two']);
    painter.paint(['three']);
    expect(terminal.stdout()).toBe(
      'one\u001b[K\ntwo\u001b[K\n\u001b[J' + '\r\u001b[2Athree\u001b[K\n\u001b[J',
    );
  });

  it('the painter cuts lines that would wrap, counting characters without colours', () => {
    const terminal = fakeTerminal({ screen: true, width: 6 });
    createPainter(terminal).paint(['\u001b[32mabc\u001b[39mdefgh', '\u001b[32mabcdef\u001b[39m']);
    expect(terminal.stdout()).toBe(
      '\u001b[32mabc\u001b[39mde…\u001b[0m\u001b[K\n\u001b[32mabcdef\u001b[39m\u001b[K\n\u001b[J',
    );
  });

  it('the painter keeps header and newest rows on a low screen', () => {
    const terminal = fakeTerminal({ screen: true, height: 13 });
    const lines = Array.from({ length: 30 }, (_, index) => `row ${index + 1}`);
    createPainter(terminal).paint(lines);
    const shown = terminal
      .stdout()
      .replaceAll('\u001b[K', '')
      .replaceAll('\u001b[J', '')
      .trim()
      .split('\n');
    expect(shown).toEqual([...lines.slice(0, 8), '…', ...lines.slice(27)]);
  });
});
