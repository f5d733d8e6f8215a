import type { Cancel, ChangeEvent } from '../model.js';

type Listener = (event: ChangeEvent) => void;

/**
 * Notifies listeners of changes, strictly in order: a change made by a listener is announced after all listeners got
 * the current one.
 */
export class Announcer {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly waiting: ChangeEvent[] = [];
  private busy = false;

  subscribe(resource: string, listener: Listener): Cancel {
    const known = this.listeners.get(resource) ?? new Set<Listener>();
    // A wrapper per subscription, so that the same function can subscribe twice.
    const own: Listener = (event) => {
      listener(event);
    };
    known.add(own);
    this.listeners.set(resource, known);
    return () => {
      known.delete(own);
    };
  }

  announce(event: ChangeEvent): void {
    this.waiting.push(event);
    if (this.busy) return;
    this.busy = true;
    try {
      for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
        this.tell(next);
      }
    } finally {
      this.busy = false;
    }
  }

  private tell(event: ChangeEvent): void {
    for (const resource of [event.resource, '*']) {
      for (const listener of [...(this.listeners.get(resource) ?? [])]) listener(event);
    }
  }
}
