import type { LoadedDataConverter } from '@temporalio/common';
import { decoded } from './history-facts.js';

/** Decodes a payload of a history. */
export type ReadPayload = (payload: unknown) => Promise<unknown>;

/** What executions recorded, in order; or why it cannot be read. */
export type ReadExecutions<Event> =
  | { readonly kind: 'read'; readonly events: readonly Event[] }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads the executions of a run in order. What a reader throws makes all of it unreadable. */
export async function readExecutions<Event>(
  histories: readonly unknown[],
  eventsIn: (history: unknown, execution: string) => Promise<readonly Event[]>,
): Promise<ReadExecutions<Event>> {
  const events: Event[] = [];
  try {
    for (const [index, history] of histories.entries()) {
      events.push(...(await eventsIn(history, `execution ${String(index + 1)}`)));
    }
  } catch (error) {
    return { kind: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  }
  return { kind: 'read', events };
}

/** Reads payloads of the event at this place. It rejects where it cannot. */
export function payloadReader(converter: LoadedDataConverter, where: string): ReadPayload {
  return async (payload) => {
    const result = await decoded(payload, converter);
    if (result === null) throw new Error(`${where} is in an encoding unknown here`);
    return result.value;
  };
}

/** Of a record that lacks what this tool always writes. */
export function foreignRecord(lacking: string): Error {
  return new Error(`the record is not one that this tool wrote: no ${lacking}`);
}
