import { describe, expect, it } from '@jest/globals';
import { noteLines, quietNotes, toldNotes } from '../../../domain/gates/quiet-notes.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';

const QUIET: GateVerdict = {
  ...{ gate: 'nodeSyncErrors', hardness: 'soft', verdict: 'inconclusive', noted: true },
  ...{ detail: '0 of 34 events: harm of 10 % would show', code: 'CCM3102' },
};

describe('notes of quiet gates', () => {
  it.each<readonly [string, Partial<GateVerdict>, number]>([
    ['too few events', {}, 1],
    ['a series that no manager serves', { verdict: 'noData' }, 1],
    ['a failure, whatever it claims', { verdict: 'fail' }, 0],
  ])('%s: %j leaves %d', (_case, changes, expected) => {
    expect(quietNotes([{ ...QUIET, ...changes }])).toHaveLength(expected);
  });

  it('a suspicion is no note', () => {
    const { noted: _noted, ...suspect } = QUIET;
    expect(quietNotes([suspect])).toEqual([]);
  });

  it('carry name and detail alone, within bounds', () => {
    expect(quietNotes([QUIET])).toEqual([{ gate: QUIET.gate, detail: QUIET.detail }]);
    const many = Array.from({ length: 30 }, () => ({ ...QUIET, detail: 'x'.repeat(500) }));
    const notes = quietNotes(many);
    expect(notes).toHaveLength(20);
    expect(notes[0]?.detail).toHaveLength(200);
  });

  it('one line for what several gates say', () => {
    const detail = 'no manager serves its series';
    const notes = quietNotes([QUIET, ...['a', 'b'].map((gate) => ({ ...QUIET, gate, detail }))]);
    expect(noteLines(notes)).toEqual([
      'nodeSyncErrors: 0 of 34 events: harm of 10 % would show',
      'a, b: no manager serves its series',
    ]);
    expect(noteLines([])).toEqual([]);
  });

  it('nothing to say is no member', () => {
    const notes = quietNotes([QUIET]);
    expect([toldNotes(), toldNotes([]), toldNotes(notes)]).toEqual([{}, {}, { notes }]);
  });
});
