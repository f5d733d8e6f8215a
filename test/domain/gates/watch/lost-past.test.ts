import { describe, expect, it } from '@jest/globals';
import { PAST_LOST } from '../../../../domain/gates/past-lost.js';
import { holdsRun } from '../../../../domain/gates/verdicts.js';
import { acknowledgedIn } from '../../../../domain/gates/watch/add-round.js';
import { bookWithoutPast, type GateBook } from '../../../../domain/gates/watch/gate-book.js';
import { booked, ERRORS, only, steady } from './given-rounds.js';

const LOST = bookWithoutPast(['nodeSyncErrors']);
const UNKNOWN = { verdict: 'error', code: 'CCM3103', detail: PAST_LOST };
const accepted = (book: GateBook, epoch: number): GateBook =>
  acknowledgedIn(book, epoch, () => true);

describe('a gate that counts, and whose past is lost', () => {
  it('holds where it would pass, and takes nothing for what was usual', () => {
    const rounds = steady(20, 0, 10);
    expect(only(booked(ERRORS, rounds), ERRORS, 290)).toMatchObject({ verdict: 'pass' });
    const book = booked(ERRORS, rounds, LOST);
    expect(only(book, ERRORS, 290)).toMatchObject(UNKNOWN);
    expect(holdsRun({ verdict: 'error' })).toBe(true);
    expect(book.gates['nodeSyncErrors']).toMatchObject({ baseline: null });
  });

  it('fails by its limit all the same', () => {
    const book = booked(ERRORS, steady(20, 10, 10), LOST);
    expect(only(book, ERRORS, 286)).toMatchObject({ verdict: 'fail', code: 'CCM3101' });
  });

  it('holds where nothing serves its series, which may have been otherwise', () => {
    const silent = { seconds: 0, places: [{ text: 'up 1\n' }] };
    expect(only(booked(ERRORS, [silent]), ERRORS, 1)).toMatchObject({ noted: true });
    expect(only(booked(ERRORS, [silent], LOST), ERRORS, 1)).toMatchObject(UNKNOWN);
  });

  it('is not found again by an acceptance, whenever that is', () => {
    const first = accepted(booked(ERRORS, steady(20, 0, 10), LOST), 3);
    const later = steady(40, 0, 10).slice(20);
    expect(only(booked(ERRORS, later, first), ERRORS, 590)).toMatchObject(UNKNOWN);
    expect(only(booked(ERRORS, later, accepted(first, 4)), ERRORS, 590)).toMatchObject(UNKNOWN);
  });
});
