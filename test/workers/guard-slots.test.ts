import { describe, expect, it } from '@jest/globals';
import { guardSlots } from '../../workers/guard-slots.js';

const CONTEXT = {} as never;
const USED = { slotInfo: { type: 'activity', activityType: 'guardCluster' }, permit: {} } as const;

/** Slots behind a gate that the test opens and closes. */
function slotsOf(count: number, open = true) {
  const listeners: (() => void)[] = [];
  let admits = open;
  const slots = guardSlots(count, {
    admits: () => admits,
    onAdmitting: (listener) => {
      listeners.push(listener);
    },
  });
  const given: string[] = [];
  return {
    slots,
    given,
    /** Asks as the SDK does before a poll; `given` names it once it has its slot, or why not. */
    ask: (name: string): AbortController => {
      const controller = new AbortController();
      slots.reserveSlot(CONTEXT, controller.signal).then(
        () => given.push(name),
        (why: unknown) => given.push(`${name}: ${String(why)}`),
      );
      return controller;
    },
    close: () => {
      admits = false;
    },
    open: () => {
      admits = true;
      for (const listener of listeners) listener();
    },
  };
}

/** Until everything that can go on has gone on. */
const settled = (): Promise<void> => new Promise(setImmediate);

describe('the slots of guards', () => {
  it('are as many as there are, and one that ends serves the one that waits longest', async () => {
    const { slots, given, ask } = slotsOf(2);
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    await settled();
    expect(given).toEqual(['a', 'b']);
    slots.markSlotUsed(USED);
    slots.releaseSlot(USED);
    await settled();
    expect(given).toEqual(['a', 'b', 'c']);
  });

  it('are not given while the worker is busy, and all that are free once it is not', async () => {
    const { given, ask, open } = slotsOf(2, false);
    for (const name of ['a', 'b', 'c']) ask(name);
    await settled();
    expect(given).toEqual([]);
    open();
    await settled();
    expect(given).toEqual(['a', 'b']);
  });

  it('that end while the worker is busy are not given again before it is no longer so', async () => {
    const { slots, given, ask, close, open } = slotsOf(1);
    ask('a');
    ask('b');
    await settled();
    close();
    slots.releaseSlot(USED);
    await settled();
    expect(given).toEqual(['a']);
    open();
    await settled();
    expect(given).toEqual(['a', 'b']);
  });

  it('are kept by guards that run when the worker becomes busy', async () => {
    const { slots, given, ask, close, open } = slotsOf(1);
    ask('a');
    await settled();
    close();
    open();
    ask('b');
    await settled();
    expect(given).toEqual(['a']);
    expect(slots.tryReserveSlot(CONTEXT)).toBeNull();
  });

  it('obey the same where a task comes without being asked for', async () => {
    const { slots, close, open } = slotsOf(2);
    close();
    expect(slots.tryReserveSlot(CONTEXT)).toBeNull();
    open();
    expect(slots.tryReserveSlot(CONTEXT)).toEqual({});
    expect(slots.tryReserveSlot(CONTEXT)).toEqual({});
    expect(slots.tryReserveSlot(CONTEXT)).toBeNull();
  });
});

describe('a request for a slot that is aborted', () => {
  it('ends with the reason of the SDK, and takes none', async () => {
    const { given, ask, open } = slotsOf(1, false);
    ask('a').abort('the worker ends');
    ask('b');
    await settled();
    expect(given).toEqual(['a: the worker ends']);
    open();
    await settled();
    expect(given).toEqual(['a: the worker ends', 'b']);
  });

  it('before it is made takes none either', async () => {
    const { slots, given, ask } = slotsOf(1);
    const signal = AbortSignal.abort('too late');
    await expect(slots.reserveSlot(CONTEXT, signal)).rejects.toBe('too late');
    ask('b');
    await settled();
    expect(given).toEqual(['b']);
  });

  it('when its slot was on its way gives the slot back', async () => {
    const { given, ask } = slotsOf(1);
    const first = ask('a');
    ask('b');
    await settled();
    first.abort('not received');
    await settled();
    expect(given).toEqual(['a', 'b']);
  });
});
