import type { DraftObject, ObjectClient } from '../model.js';
import { timestamp } from '../store/metadata.js';
import type { EventSubject, ProcessClock, ToldEvent } from './loop-context.js';

/** Source: CG tools/record/events_cache.go v0.30.14, of which a process keeps as much. */
const MOST_KEPT = 4096;
const SIMILAR_LIMIT = 10;
const SIMILAR_FOR_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;

export interface EventRecorderOptions {
  /** `source.component` of the Events. */
  readonly component: string;
  readonly client: ObjectClient;
  readonly timers: ProcessClock;
  /** Distinguishes the names that two processes give at the same moment. */
  readonly pid: number;
}

interface Known {
  readonly event: DraftObject;
  count: number;
}

/**
 * client-go's recorder of Events: a repeated one is counted in its first object, those that differ by their message alone
 * are combined from the tenth on, and a component may tell 25 of one object and then one in five minutes. What the API
 * server refuses is lost.
 */
export class EventRecorder {
  private readonly options: EventRecorderOptions;
  private readonly known = new Map<string, Known>();
  private readonly similar = new Map<string, { messages: Set<string>; lastMs: number }>();
  private readonly tokens = new Map<string, { left: number; atMs: number }>();
  private named = 0;

  constructor(options: EventRecorderOptions) {
    this.options = options;
  }

  readonly tell = (about: EventSubject, event: ToldEvent): void => {
    const { key, message } = this.combine(about, event);
    const known = this.known.get(key);
    const told = { ...event, message };
    const next =
      known === undefined
        ? { event: this.draft(about, told), count: 1 }
        : { event: this.again(known, message), count: known.count + 1 };
    keep(this.known, key, next);
    if (this.mayTell(about)) this.write(next.event, known !== undefined);
  };

  private write(event: DraftObject, isKnown: boolean): void {
    const { client } = this.options;
    const updated = isKnown ? client.update('events', event, { asVerb: 'patch' }) : null;
    // Its Event may have expired meanwhile.
    if (updated === null || (!updated.ok && updated.code === 404)) client.create('events', event);
  }

  private combine(
    { metadata }: EventSubject,
    { type, reason, message }: ToldEvent,
  ): { readonly key: string; readonly message: string } {
    const nowMs = this.options.timers.nowMs();
    const group = `${metadata.uid} ${type} ${reason}`;
    const before = this.similar.get(group);
    const isFresh = before !== undefined && nowMs - before.lastMs <= SIMILAR_FOR_MS;
    const messages = isFresh ? before.messages : new Set<string>();
    messages.add(message);
    keep(this.similar, group, { messages, lastMs: nowMs });
    if (messages.size < SIMILAR_LIMIT) return { key: `${group} ${message}`, message };
    for (const first of messages) {
      messages.delete(first);
      break;
    }
    return { key: group, message: `(combined from similar events): ${message}` };
  }

  private mayTell({ metadata }: EventSubject): boolean {
    const nowMs = this.options.timers.nowMs();
    const before = this.tokens.get(metadata.uid) ?? { left: BURST, atMs: nowMs };
    const left = Math.min(BURST, before.left + (nowMs - before.atMs) / REFILL_MS);
    const may = left >= 1;
    keep(this.tokens, metadata.uid, { left: may ? left - 1 : left, atMs: nowMs });
    return may;
  }

  private draft(about: EventSubject, { type, reason, message }: ToldEvent): DraftObject {
    const { component, timers } = this.options;
    const { name, namespace, uid } = about.metadata;
    const now = timestamp(timers.nowMs());
    const { apiVersion = 'v1', kind } = about;
    return {
      ...{ apiVersion: 'v1', kind: 'Event' },
      // Events about objects without a namespace are in `default`.
      metadata: { name: `${name}.${this.suffix()}`, namespace: namespace ?? 'default' },
      involvedObject: { apiVersion, kind, name, uid, ...(namespace && { namespace }) },
      ...{ type, reason, message, count: 1 },
      ...{ firstTimestamp: now, lastTimestamp: now, source: { component } },
    };
  }

  private again({ event, count }: Known, message: string): DraftObject {
    const lastTimestamp = timestamp(this.options.timers.nowMs());
    return { ...event, message, count: count + 1, lastTimestamp };
  }

  /** Upstream's is the time in nanoseconds, hexadecimal. */
  private suffix(): string {
    this.named += 1;
    const { timers, pid } = this.options;
    const withinMs = (pid % 1000) * 1000 + (this.named % 1000);
    return (BigInt(Math.floor(timers.nowMs())) * 1_000_000n + BigInt(withinMs)).toString(16);
  }
}

/** The newest stay. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > MOST_KEPT ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
