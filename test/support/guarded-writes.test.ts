import { describe, expect, it } from '@jest/globals';
import { USER_AGENTS } from '../../config/names.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';
import { unguardedWrites } from './guarded-writes.js';

const LIMIT_MS = 15_000;

type Row = Partial<JournalEntry> & Pick<JournalEntry, 'atMs' | 'verb'>;

const entry = (row: Row, index: number): JournalEntry => ({
  ...{ index, user: 'ccm-migrate', userAgent: USER_AGENTS.steps, resource: 'configmaps' },
  ...{ name: 'x', path: '/x', mutating: true, code: 200, fault: '', tookEffect: true },
  ...row,
});
const FENCE = { resource: 'leases', name: 'ccm-migrate' } as const;
const take = (atMs: number): Row => ({ ...FENCE, atMs, verb: 'update' });
const hint = (atMs: number): Row => ({ ...FENCE, atMs, verb: 'patch' });
const renew = (atMs: number): Row => ({ ...hint(atMs), userAgent: USER_AGENTS.guard });
const write = (atMs: number): Row => ({ atMs, verb: 'patch' });

describe('writes behind the guard', () => {
  it.each<[string, readonly Row[], readonly RegExp[]]>([
    ['a write right after a renewal', [take(0), renew(1), write(2)], []],
    ['a write at the limit', [take(0), renew(1), write(15_001)], []],
    ['a write after the limit', [take(0), renew(1), write(15_002)], [/15001 ms before/]],
    [
      'several writes, with renewals in between',
      [take(0), renew(1), write(9000), renew(9001), write(20_000)],
      [],
    ],
    ['a write before the first renewal', [take(0), write(1), renew(2), write(3)], [/no guard/]],
    ['a write in a new epoch', [take(0), renew(1), take(2), write(3)], [/no guard/]],
    ['a write after the fence was woken', [take(0), renew(1), hint(2), write(3)], [/no guard/]],
    [
      'a write after the guard observed the woken fence',
      [take(0), renew(1), hint(2), renew(3), write(4)],
      [],
    ],
    [
      'a renewal that failed',
      [take(0), { ...renew(1), tookEffect: false }, write(2)],
      [/no guard/],
    ],
    ['a write that failed', [take(0), { ...write(1), tookEffect: false }], []],
    ['a read', [take(0), { ...write(1), verb: 'get', mutating: false }], []],
    [
      'a manager of the cluster',
      [take(0), { ...write(1), userAgent: 'kube-controller-manager' }],
      [],
    ],
    [
      'a lease of others',
      [take(0), { ...write(1), resource: 'leases', name: 'kube-scheduler' }],
      [/no guard/],
    ],
    [
      'a guard that writes something else',
      [take(0), renew(1), { ...write(2), userAgent: USER_AGENTS.guard }],
      [/nothing but the fence/],
    ],
  ])('the check of guarded writes judges %s', (_name, rows, expected) => {
    const complaints = unguardedWrites(rows.map(entry), LIMIT_MS);
    expect(complaints).toEqual(expected.map((words) => expect.stringMatching(words)));
  });
});
