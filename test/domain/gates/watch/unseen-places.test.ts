import { describe, expect, it } from '@jest/globals';
import {
  addGiven,
  BEGAN,
  booked,
  ERRORS,
  gatesNamed,
  gauge,
  type GivenPlace,
  type GivenRound,
  only,
  SECOND,
  STUCK,
  syncs,
} from './given-rounds.js';

const CCM = 'ccm on cp-2';
const read = (seconds: number, text: string): GivenRound => ({
  ...{ seconds, places: [{ place: CCM, text }] },
});
/** Nothing is known of what runs while a node hides it. */
const hidden = (seconds: number, places: readonly GivenPlace[] = []): GivenRound => ({
  ...{ seconds, setup: null, places, unseen: ['cp-2'] },
});

/** Every sync fails, five in each round; a node answers in those rounds that `isSeen` says. */
function failing(rounds: number, isSeen: (index: number) => boolean): readonly GivenRound[] {
  return Array.from({ length: rounds }, (_, index) => {
    const seconds = 15 * index;
    return isSeen(index) ? read(seconds, syncs(5 * index, 300 + 5 * index)) : hidden(seconds);
  });
}

describe('a node that cannot be reached', () => {
  it('hides no harm by answering every other time', () => {
    const book = booked(
      ERRORS,
      failing(21, (index) => index % 2 === 0),
    );
    expect(only(book, ERRORS, 301)).toMatchObject({
      ...{ verdict: 'fail', code: 'CCM3101', numbers: { counted: { bad: 30, events: 30 } } },
    });
    expect(book.setupAtMs).toBe(0);
    expect(book.gates['nodeSyncErrors']).toMatchObject({
      bases: { [CCM]: [expect.anything(), BEGAN + 300 * SECOND, 100, 400] },
    });
  });

  it('loses no event of a short drop', () => {
    const book = booked(
      ERRORS,
      failing(6, (index) => index < 2 || index === 5),
    );
    expect(only(book, ERRORS, 76)?.numbers?.counted).toMatchObject({ bad: 25, events: 25 });
  });

  it('is unmeasured when it lasts, and is named', () => {
    const rounds = failing(12, (index) => index < 2);
    expect(only(booked(ERRORS, rounds.slice(0, 9)), ERRORS, 134)?.verdict).toBe('inconclusive');
    expect(only(booked(ERRORS, rounds), ERRORS, 166)).toMatchObject({
      ...{ verdict: 'error', code: 'CCM3103', detail: 'cp-2 cannot be reached' },
    });
  });

  it('ends no failure of a gauge, and passes none', () => {
    const stuck = read(0, gauge('longest_running_processor_seconds', 'service', 400));
    const soon = booked(STUCK, [stuck, hidden(15)]);
    expect(only(soon, STUCK, 16)).toMatchObject({
      verdict: 'fail',
      detail: '400.0 s, limit 120 s',
    });
    const later = booked(STUCK, [stuck, hidden(60), hidden(121)]);
    expect(only(later, STUCK, 122)).toMatchObject({ verdict: 'error' });
  });

  it('counts beside others that are read for no gate that it may serve', () => {
    const other = (seconds: number): GivenPlace => ({
      ...{ place: 'ccm on cp-1', text: syncs(0, 300 + seconds) },
    });
    const both = [...failing(2, () => true)].map((round) => ({
      ...round,
      places: [...round.places, other(round.seconds)],
    }));
    const rounds = [30, 90, 150].map((seconds) => hidden(seconds, [other(seconds)]));
    const book = booked(ERRORS, [...both, ...rounds]);
    expect(only(book, ERRORS, 151)).toMatchObject({
      ...{ verdict: 'error', detail: 'cp-2 cannot be reached' },
    });
  });

  it('concerns no gate that nothing known there serves', () => {
    const taints = gatesNamed('taintRemovalDelay');
    const text = ['_bucket{le="64"}', '_bucket{le="+Inf"}', '_count']
      .map((part) => `node_controller_cloud_provider_taint_removal_delay_seconds${part} 0\n`)
      .join('');
    const ccm = { place: 'ccm on cp-1', text };
    const kcm = { place: 'kcm on cp-2', text: 'up 1\n', owns: false };
    const served = { seconds: 0, places: [ccm, kcm] };
    const book = booked(taints, [served, hidden(60, [ccm]), hidden(121, [ccm])]);
    expect(only(book, taints, 122)).toMatchObject({ verdict: 'inconclusive', noted: true });
    // Only where every node is seen is it known that none serves it any more.
    const none = booked(taints, [served, hidden(60), hidden(121)]);
    expect(only(none, taints, 122)).toMatchObject({
      ...{ verdict: 'error', detail: 'cp-2 cannot be reached' },
    });
  });

  it('that was never seen may run anything, unless its machine is just being added', () => {
    const kcm = (seconds: number): GivenPlace => ({ text: syncs(0, 300 + seconds) });
    const first = hidden(0, [kcm(0)]);
    expect(only(booked(ERRORS, [first]), ERRORS, 1)).toMatchObject({
      ...{ verdict: 'error', detail: 'cp-2 cannot be reached' },
    });
    const booting = { ...first, isNew: true };
    expect(only(booked(ERRORS, [booting]), ERRORS, 1)).toMatchObject({ verdict: 'inconclusive' });
    const again = addGiven(
      booked(
        ERRORS,
        failing(2, () => true),
      ),
      ERRORS,
      {
        ...{ ...hidden(160, [kcm(160)]), isNew: true },
      },
    );
    expect(only(again, ERRORS, 161)).toMatchObject({ verdict: 'error' });
  });

  it('is forgotten with its Node', () => {
    const before = booked(
      ERRORS,
      failing(4, (index) => index < 2),
    );
    expect(before.places).toEqual([
      { node: 'cp-2', place: CCM, serving: { manager: 'ccm', minor: 30, provider: null } },
    ]);
    const gone = addGiven(before, ERRORS, { seconds: 60, places: [] });
    expect(gone.places).toEqual([]);
    expect(only(gone, ERRORS, 170)).toMatchObject({ verdict: 'inconclusive' });
    expect(gone.lastAtMs).toBe(BEGAN + 60 * SECOND);
  });
});
