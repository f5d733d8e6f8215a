import { describe, expect, it } from '@jest/globals';
import { checkObjectLists, keptLists, type KeptList } from '../../../cli/audit/object-lists.js';
import type { RecordedEvent } from '../../../cli/audit/recorded-run.js';
import type { ComparedObject, ObjectList } from '../../../domain/comparison/compared-object.js';
import { canonicalJson, digestText } from '../../../domain/digest.js';

const RUN = { workflowId: 'w', runId: 'r' };

function kept(...objects: readonly ComparedObject[]): KeptList {
  const list: ObjectList = { loadBalancers: [], workers: [], objects };
  const text = canonicalJson(list);
  return { digest: digestText(text), text };
}

function node(nth: number, zone: string): ComparedObject {
  const name = `w-${String(nth)}`;
  return { kind: 'Node', key: name, uid: `u-${name}`, facts: { 'label zone': zone } };
}

function observed(objectsDigest: unknown): RecordedEvent {
  const observation = { inventory: { objectsDigest } };
  return { where: 'here', kind: 'observed', input: {}, observed: { observation } } as never;
}

const START = kept(node(1, 'a'));
const END = kept(node(1, 'b'));
const MANY = [kept(...wide('a')), kept(...wide('b'))] as const;
const EVENTS = [observed(START.digest), observed(START.digest), observed(END.digest)];

function wide(zone: string): readonly ComparedObject[] {
  return Array.from({ length: 7 }, (_, nth) => node(nth, zone));
}

describe('lists of objects in an export', () => {
  it('those that are kept are exported once, the first one first', async () => {
    const asked: string[] = [];
    const store = {
      keptText: (_run: object, digest: string) => {
        asked.push(digest);
        return Promise.resolve(digest === END.digest ? END.text : null);
      },
    };
    const others: readonly RecordedEvent[] = [
      { where: 'here', kind: 'fence', epoch: 1 },
      observed(undefined),
      observed('../../etc/passwd'),
    ];
    expect(await keptLists(store, RUN, [...others, ...EVENTS])).toEqual([END]);
    expect(asked).toEqual([START.digest, END.digest]);
  });

  it.each<readonly [string, readonly RecordedEvent[], readonly KeptList[], string]>([
    ['none of an older build', [observed(undefined)], [], 'none named'],
    ['that of the start alone', EVENTS, [START], 'that of the start; nothing was found changed'],
    [
      'both',
      EVENTS,
      [START, END],
      '2 as observed; start to end: Node w-1: label zone was a and is b',
    ],
    [
      'both, of which only expected changes differ',
      [observed(kept().digest), observed(END.digest)],
      [kept(), END],
      '2 as observed; start to end: no unexplained difference',
    ],
  ])('%s passes', (_name, events, lists, detail) => {
    expect(checkObjectLists(events, lists)).toEqual({
      ...{ check: 'object lists', result: 'pass', detail },
    });
  });

  it('the first five differences are told', () => {
    const { detail } = checkObjectLists(
      MANY.map(({ digest }) => observed(digest)),
      MANY,
    );
    expect(detail.split('; ').slice(-2)).toEqual(['Node w-4: label zone was a and is b', '2 more']);
  });

  it.each<readonly [string, readonly KeptList[]]>([
    ['no list', []],
    ['a later one without that of the start', [END]],
  ])('%s proves nothing either way', (_name, lists) => {
    expect(checkObjectLists(EVENTS, lists)).toMatchObject({
      ...{ result: 'unproven', detail: expect.stringContaining('is gone') },
    });
  });

  it.each<readonly [string, readonly KeptList[], string]>([
    ['one that no observation had', [START, kept(node(1, 'c'))], 'no observation of the run has'],
    ['one that was edited', [START, { ...END, text: START.text }], 'does not match its digest'],
  ])('%s fails', (_name, lists, detail) => {
    const check = checkObjectLists(EVENTS, lists);
    expect(check.result).toBe('fail');
    expect(check.detail).toContain(detail);
  });
});
