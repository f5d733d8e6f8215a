import type { Cancel } from '../model.js';

interface Timer {
  readonly dueMs: number;
  /** Breaks ties: calls due at the same moment run in the order of their creation. */
  readonly order: number;
  run: (() => void) | null;
}

/**
 * A binary heap of calls by due time. Cancelled calls stay as empty entries until they are due, or until they are
 * half of the heap.
 */
export class TimerQueue {
  private heap: Timer[] = [];
  private made = 0;
  private cancelled = 0;

  add(dueMs: number, run: () => void): Cancel {
    const timer: Timer = { dueMs, order: (this.made += 1), run };
    this.heap.push(timer);
    this.siftUp(this.heap.length - 1);
    return () => {
      if (timer.run === null) return;
      timer.run = null;
      this.cancelled += 1;
      if (this.cancelled > 64 && this.cancelled * 2 > this.heap.length) this.sweep();
    };
  }

  /** When the next live call is due; undefined when there is none. */
  nextDueMs(): number | undefined {
    this.dropShells();
    return this.heap[0]?.dueMs;
  }

  /** Removes and returns the next live call if it is due at or before `nowMs`. */
  takeDue(nowMs: number): { readonly dueMs: number; readonly run: () => void } | undefined {
    this.dropShells();
    const first = this.heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.removeFirst();
    const { run } = first;
    first.run = null;
    return run === null ? undefined : { dueMs: first.dueMs, run };
  }

  clear(): void {
    for (const timer of this.heap) timer.run = null;
    this.heap = [];
    this.cancelled = 0;
  }

  private dropShells(): void {
    while (this.heap[0]?.run === null) {
      this.removeFirst();
      this.cancelled -= 1;
    }
  }

  private sweep(): void {
    this.heap = this.heap.filter((timer) => timer.run !== null).sort(before);
    this.cancelled = 0;
  }

  private removeFirst(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.siftDown(0);
  }

  private siftUp(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  private siftDown(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.isBefore(left + 1, left) ? left + 1 : left;
      if (!this.swapIfBefore(child, index)) return;
      index = child;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const first = this.heap[a];
    const second = this.heap[b];
    return first !== undefined && second !== undefined && before(first, second) < 0;
  }

  private swapIfBefore(a: number, b: number): boolean {
    const first = this.heap[a];
    const second = this.heap[b];
    if (first === undefined || second === undefined || before(first, second) >= 0) return false;
    this.heap[a] = second;
    this.heap[b] = first;
    return true;
  }
}

function before(a: Timer, b: Timer): number {
  return a.dueMs - b.dueMs || a.order - b.order;
}
