import { describe, expect, it } from '@jest/globals';
import { USER_AGENTS } from '../../config/names.js';
import type { JournalEntry } from '../../simulator/control/request-journal.js';
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
    ['one right after a renewal', [take(0), renew(1), write(2)], []],
    ['one at the limit', [take(0), renew(1), write(15_001)], []],
    ['one after it', [take(0), renew(1), write(15_002)], [/15001 ms before/]],
    [
      'several, renewed in between',
      [take(0), renew(1), write(9000), renew(9001), write(20_000)],
      [],
    ],
    ['one before the first renewal', [take(0), write(1), renew(2), write(3)], [/no guard/]],
    ['one in a new epoch', [take(0), renew(1), take(2), write(3)], [/no guard/]],
    ['one after the fence was woken', [take(0), renew(1), hint(2), write(3)], [/no guard/]],
    ['one that the guard saw after that', [take(0), renew(1), hint(2), renew(3), write(4)], []],
    [
      'a renewal that came to nothing',
      [take(0), { ...renew(1), tookEffect: false }, write(2)],
      [/no guard/],
    ],
    ['a write that came to nothing', [take(0), { ...write(1), tookEffect: false }], []],
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
      'a guard that meddles',
      [take(0), renew(1), { ...write(2), userAgent: USER_AGENTS.guard }],
      [/nothing but the fence/],
    ],
  ])('%s', (_name, rows, expected) => {
    const complaints = unguardedWrites(rows.map(entry), LIMIT_MS);
    expect(complaints).toEqual(expected.map((words) => expect.stringMatching(words)));
  });
});
