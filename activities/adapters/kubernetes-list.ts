import { failure, failureDetailsOf } from '../failures.js';
import type { ApiObject, CollectionRef, ListOptions, Page } from '../ports.js';
import { TOO_LARGE } from './body-text.js';
import { listOf, serverTimeOf } from './api-answers.js';
import type { HttpClient } from './http.js';
import { collectionPath, describe } from './object-paths.js';

/** Objects a page: a busy Node takes about 15 KB, so a page stays well under the limit of 4 MiB. */
const PAGE_SIZE = 100;
/** Page size when those are too large to read at once. */
const SMALL_PAGE = 10;
const MAX_PAGES = 1000;

/**
 * The whole collection, page by page; `limit` is the size of a page. All pages show one resourceVersion. When that version
 * expires midway (410) the list restarts once; it also restarts with small pages when a page is too large.
 */
export async function listAll<T extends ApiObject>(
  http: HttpClient,
  ref: CollectionRef,
  options: ListOptions = {},
): Promise<Page<T>> {
  try {
    return await listOnce<T>(http, ref, options);
  } catch (error) {
    const { status, reason } = failureDetailsOf(error);
    if (reason === TOO_LARGE) return listOnce<T>(http, ref, { ...options, limit: SMALL_PAGE });
    if (status !== 410) throw error;
    return listOnce<T>(http, ref, options);
  }
}

async function listOnce<T extends ApiObject>(
  http: HttpClient,
  ref: CollectionRef,
  { labelSelector, fieldSelector, limit = PAGE_SIZE, ...call }: ListOptions,
): Promise<Page<T>> {
  const what = `list ${describe(ref)}`;
  const items: T[] = [];
  let next = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { labelSelector, fieldSelector, limit, continue: next === '' ? undefined : next };
    const path = collectionPath(ref);
    const answer = await http.send(
      { what, method: 'GET', path, query, safe: true, answer: 'list' },
      call,
    );
    const part = listOf<T>(what, answer.json, ref);
    items.push(...part.items);
    next = part.next;
    if (next === '') {
      const { resourceVersion } = part;
      return { items, resourceVersion, serverTimeMs: serverTimeOf(what, answer) };
    }
  }
  throw failure('NotSupported', `${what}: more than ${String(MAX_PAGES)} pages`);
}
