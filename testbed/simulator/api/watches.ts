import type { Cancel, ChangeEvent, StoredObject } from '../model.js';
import { atVersion } from '../store/metadata.js';
import { apiVersionOf } from '../store/resources.js';
import type { Matches } from '../store/selectors.js';
import { expired, statusObject } from '../../base/http/answers.js';
import type { ApiContext, ResourceRequest } from './context.js';
import { selectedBy } from './reads.js';
import type { ServedAnswer, WatchSink } from '../../base/http/request.js';

const DEFAULT_SECONDS = 1800;

interface Line {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
}

/**
 * WATCH: the changes since a version, then new ones as they happen, until `timeoutSeconds` (of real time) have
 * passed.
 */
export function watchObjects(context: ApiContext, request: ResourceRequest): ServedAnswer {
  const selected = selectedBy(request);
  if (!selected.ok) return selected.answer;
  const { matches } = selected;
  return { kind: 'watch', code: 200, open: (sink) => open(context, request, matches, sink) };
}

function open(
  context: ApiContext,
  request: ResourceRequest,
  matches: Matches,
  sink: WatchSink,
): Cancel {
  const { resource } = request.route.entry;
  const past = backlog(context, request, matches);
  if (past === null) {
    const version = request.query.get('resourceVersion') ?? '';
    const now = context.store.resourceVersion();
    const text = expired(`too old resource version: ${version} (${now})`);
    sink.send({ type: 'ERROR', object: statusObject(text) });
    sink.end();
    return () => undefined;
  }
  for (const line of past) sink.send(line);
  const live = context.store.onChange(resource, (event) => {
    const line = seenThrough(event, matches);
    if (line !== null) sink.send(line);
  });
  const timers = startTimers(context, request, sink);
  return () => {
    live();
    timers();
  };
}

/** Without a version, or with version 0, a watch starts with all existing objects. */
function backlog(
  { store, history }: ApiContext,
  { route, query }: ResourceRequest,
  matches: Matches,
): readonly Line[] | null {
  const { resource } = route.entry;
  const version = Number(query.get('resourceVersion') ?? '0');
  if (version > 0) {
    const events = history.since(resource, version);
    return events?.flatMap((event) => seenThrough(event, matches) ?? []) ?? null;
  }
  const now = store.list(resource);
  const objects = now.ok ? now.object.filter(matches) : [];
  return objects.map((object) => ({ type: 'ADDED', object }));
}

/**
 * A change as a filtered watch reports it: an object that starts to match is ADDED, one that stops matching is
 * DELETED.
 */
function seenThrough(event: ChangeEvent, matches: Matches): Line | null {
  const { object, previous } = event;
  const before = previous !== null && matches(previous);
  if (event.type === 'DELETED') {
    return before || matches(object) ? { type: 'DELETED', object } : null;
  }
  const now = matches(object);
  if (before && now) return { type: 'MODIFIED', object };
  if (now) return { type: 'ADDED', object };
  return before
    ? { type: 'DELETED', object: atVersion(previous, object.metadata.resourceVersion) }
    : null;
}

function startTimers(context: ApiContext, request: ResourceRequest, sink: WatchSink): Cancel {
  const { query, route } = request;
  const bookmark = (): void =>
    sink.send({
      type: 'BOOKMARK',
      object: {
        kind: route.entry.kind,
        apiVersion: apiVersionOf(route.entry),
        metadata: { resourceVersion: context.store.resourceVersion(), creationTimestamp: null },
      },
    });
  const wanted = ['true', '1'].includes(query.get('allowWatchBookmarks') ?? '');
  const asked = Number(query.get('timeoutSeconds') ?? '0');
  const seconds = Number.isFinite(asked) && asked > 0 ? asked : DEFAULT_SECONDS;
  const bookmarks = wanted ? setInterval(bookmark, context.bookmarkMs) : undefined;
  const deadline = setTimeout(() => sink.end(), seconds * 1000);
  return () => {
    clearInterval(bookmarks);
    clearTimeout(deadline);
  };
}
