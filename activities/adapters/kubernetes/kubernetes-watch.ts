import { failureDetailsOf } from '../../failures.js';
import type { ApiObject, CollectionRef, ListOptions, WatchEvent } from '../../ports.js';
import { answerFailure, refusedAnswer } from '../http/answer-failure.js';
import { asRequested, watchLine } from '../http/api-answers.js';
import { DEFAULT_TIMEOUT_MS, type HttpClient } from '../http/http.js';
import { collectionPath, describeRef } from '../http/object-paths.js';

/** Silence after which a watch is no longer trusted; API servers send bookmarks about once a minute. */
const IDLE_MS = 75_000;
/** Time for the server to end the watch by itself. */
const GRACE_MS = 5_000;

export type WatchOptions = ListOptions & { resourceVersion: string; timeoutSeconds: number };

/**
 * Events after `resourceVersion`, bookmarks included. Ends when the server ends it, on silence, when the
 * connection breaks, and on 410 Gone; in each case the caller lists again. `timeoutMs` limits the opening.
 */
export async function* watchCollection<T extends ApiObject>(
  http: HttpClient,
  ref: CollectionRef,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds, signal } = options;
  const what = `watch ${describeRef(ref)}`;
  const query = {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
  };
  const stream = http.stream(
    { what, method: 'GET', path: collectionPath(ref), query, safe: true },
    {
      ...(signal === undefined ? {} : { signal }),
      openMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      idleMs: IDLE_MS,
      totalMs: timeoutSeconds * 1000 + GRACE_MS,
    },
  );
  for await (const line of unlessGone(stream)) {
    const read = watchLine(ref, line);
    if (read.kind === 'event') {
      yield { type: read.type, object: asRequested<T>(read.object) };
    } else if (read.code === 410) {
      return;
    } else {
      throw answerFailure(what, refusedAnswer(read.code, read.text, null, []), 'GET');
    }
  }
}

/** An API server answers 410 to the request itself when it already knows that the version is too old. */
async function* unlessGone(stream: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* stream;
  } catch (error) {
    if (failureDetailsOf(error).status !== 410) throw error;
  }
}
