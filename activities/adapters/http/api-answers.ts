import { z } from 'zod';
import { failure } from '../../failures.js';
import type { ApiObject, CollectionRef } from '../../ports.js';
import type { HttpAnswer } from './http.js';
import { parseBoundedJson } from '../../../domain/yaml/bounded-json.js';
import { describeRef } from './object-paths.js';

const Labels = z.record(z.string(), z.string()).optional();

/**
 * Longest name that an API server accepts for any kind; names are displayed and compared. Source: apimachinery
 * api/validation/path, 253 of RFC 1123.
 */
const Name = z.string().regex(/^[\x21-\x7e]{0,253}$/);

/** Checks only what all kinds share; each reader checks what it reads. */
const AnyObject = z.looseObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: z
    .looseObject({
      name: Name.optional(),
      namespace: Name.optional(),
      uid: Name.optional(),
      resourceVersion: Name.optional(),
      labels: Labels,
      annotations: Labels,
    })
    .optional(),
});

const ListBody = z.object({
  metadata: z.object({
    resourceVersion: z.string().default(''),
    continue: z.string().optional(),
  }),
  // A Go slice that was never filled is null in JSON.
  items: z.array(AnyObject).nullable(),
});

const EventLine = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});

const VersionBody = z.object({ gitVersion: z.string().regex(/^v?\d+\.\d+/) });

/**
 * The parsing edge of the ports: the request named one kind, so a checked object is typed as the caller's type for that kind.
 * Readers check each member that a decision depends on.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the port names the type per call
export function asRequested<T extends ApiObject>(object: object): T {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the one such edge, see above
  return object as T;
}

/** An object of the requested kind and name. */
export function objectOf(what: string, json: unknown, name?: string): object {
  const result = AnyObject.safeParse(json);
  if (!result.success) {
    throw failure('Unavailable', `${what}: the answer is not a Kubernetes object`);
  }
  const answered = result.data.metadata?.name;
  if (name !== undefined && answered !== name) {
    throw failure('Unavailable', `${what}: the answer is about ${answered ?? 'nothing'}`);
  }
  return result.data;
}

/** Fences compare renewals with server time, so an answer without it is rejected. */
export function serverTimeOf(what: string, { serverTimeMs }: HttpAnswer): number {
  if (serverTimeMs === null) throw failure('Unavailable', `${what}: the answer has no Date`);
  return serverTimeMs;
}

export interface ListPart<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly next: string;
}

/** Items of a list carry neither apiVersion nor kind; they get those of the request. */
export function listPartOf<T extends ApiObject>(
  what: string,
  json: unknown,
  { apiVersion, kind }: CollectionRef,
): ListPart<T> {
  const result = ListBody.safeParse(json);
  if (!result.success) throw failure('Unavailable', `${what}: the answer is not a Kubernetes list`);
  const { items, metadata } = result.data;
  return {
    items: (items ?? []).map((item) => asRequested<T>({ ...item, apiVersion, kind })),
    resourceVersion: metadata.resourceVersion,
    next: metadata.continue ?? '',
  };
}

export type WatchLine =
  | {
      readonly kind: 'event';
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
      readonly object: object;
    }
  | { readonly kind: 'error'; readonly code: number; readonly text: string };

export function watchLine(ref: CollectionRef, line: string): WatchLine {
  const { type, object } = parsedLine(ref, line);
  if (type !== 'ERROR') return { kind: 'event', type, object };
  const code = object['code'];
  return {
    kind: 'error',
    code: typeof code === 'number' ? code : 500,
    text: JSON.stringify(object),
  };
}

function parsedLine(ref: CollectionRef, line: string): z.output<typeof EventLine> {
  try {
    const result = EventLine.safeParse(parseBoundedJson(line));
    if (result.success) return result.data;
  } catch {
    // The parser's message quotes the line.
  }
  throw failure('Unavailable', `watch ${describeRef(ref)}: an event is not readable`);
}

export function versionOf(json: unknown): { gitVersion: string } {
  const result = VersionBody.safeParse(json);
  if (!result.success) throw failure('Unavailable', 'get version: the answer names no version');
  return result.data;
}
