import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { onAbort } from '../../activities/on-abort.js';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('waiting on one signal', () => {
  it('any number of waits on one signal use one listener, and none when the last wait has ended', () => {
    const { signal } = new AbortController();
    const leave = Array.from({ length: 50 }, () => onAbort(signal, () => undefined));
    expect(listenersOf(signal)).toBe(1);
    for (const each of leave) each();
    expect(listenersOf(signal)).toBe(0);
  });

  it('an abort notifies each remaining wait, once', () => {
    const controller = new AbortController();
    const told: string[] = [];
    const tell = (): void => void told.push('twice');
    const left = onAbort(controller.signal, () => void told.push('left'));
    onAbort(controller.signal, tell);
    onAbort(controller.signal, tell);
    left();
    left();
    controller.abort(new Error('over'));
    controller.abort(new Error('again'));
    expect(told).toEqual(['twice', 'twice']);
    expect(listenersOf(controller.signal)).toBe(0);
  });

  it('a signal can be waited on again after all waits have ended', () => {
    const controller = new AbortController();
    onAbort(controller.signal, () => undefined)();
    let told = 0;
    const leave = onAbort(controller.signal, () => (told += 1));
    controller.abort(new Error('over'));
    leave();
    expect(told).toBe(1);
  });
});
