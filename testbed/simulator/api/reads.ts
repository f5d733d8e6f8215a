import type { ApiRefusal, StoredObject } from '../model.js';
import { badRequest, notFound, plainError } from '../store/refusals.js';
import { keyOf } from '../store/metadata.js';
import { apiVersionOf } from '../store/resources.js';
import { selection, type Matches } from '../store/selectors.js';
import {
  badRequestAnswer,
  expired,
  json,
  refusalAnswer,
  statusObject,
} from '../../base/http/answers.js';
import { detailsOf, inNamespace, type ApiContext, type ResourceRequest } from './context.js';
import { pageSize, readMark, writeMark, type PageMark } from './pages.js';
import type { ServedAnswer, JsonAnswer } from '../../base/http/request.js';

/** apiserver storage/errors.go; the token in the answer continues after the same object at the current version. */
const TOO_OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** GET of one object. */
export function readStored(context: ApiContext, { route }: ResourceRequest): ServedAnswer {
  const { entry, namespace, name = '' } = route;
  const isIt = (object: StoredObject): boolean =>
    object.metadata.name === name && object.metadata.namespace === namespace;
  const { objects } = snapshot(context, entry.resource, isIt);
  const found = objects.find(isIt);
  if (found === undefined) return refusalAnswer(notFound(entry.resource, name), detailsOf(route));
  return json(200, found);
}

/** LIST with selectors and pages; every page shows the version at which the first page was read. */
export function listObjects(context: ApiContext, request: ResourceRequest): ServedAnswer {
  const { route, query } = request;
  const selected = selectedBy(request);
  if (!selected.ok) return selected.answer;
  const { matches } = selected;
  const token = query.get('continue') ?? '';
  if (token === '') return page(request, snapshot(context, route.entry.resource, matches), matches);
  const mark = readMark(token);
  if (mark === null) {
    return badRequestAnswer(`invalid continue token: continue key is not valid: ${noToken(token)}`);
  }
  const objects = context.history.asOf(route.entry.resource, mark.version);
  if (objects === null) {
    const version = Number(context.store.resourceVersion());
    const token = writeMark({ version, after: mark.after });
    return json(410, statusObject({ ...expired(TOO_OLD_TOKEN), continue: token }));
  }
  return page(request, { objects, version: mark.version }, matches, mark);
}

/** The error of Go's JSON reader at the first byte of an invalid token. */
function noToken(token: string): string {
  const [first] = Buffer.from(token, 'base64url');
  if (first === undefined) return 'unexpected end of JSON input';
  const isPlain = first >= 0x20 && first < 0x7f;
  const shown = isPlain ? String.fromCharCode(first) : `\\u${first.toString(16).padStart(4, '0')}`;
  return `invalid character '${shown}' looking for beginning of value`;
}

type Selected =
  | { readonly ok: true; readonly matches: Matches }
  | { readonly ok: false; readonly answer: JsonAnswer };

/** The objects that a list or watch asks for. */
export function selectedBy({ route, query }: ResourceRequest): Selected {
  const refused = refusedOptions(query);
  if (refused !== null) return { ok: false, answer: refusalAnswer(refused) };
  const selected = selection(route.entry.resource, query);
  if (!selected.ok) return { ok: false, answer: badRequestAnswer(selected.message) };
  const inside = inNamespace(route);
  return { ok: true, matches: (object) => inside(object) && selected.matches(object) };
}

/** Rejects a limit or version of a list or watch that is not a number. */
function refusedOptions(query: URLSearchParams): ApiRefusal | null {
  const limit = query.get('limit') ?? '';
  if (!/^-?\d*$/.test(limit)) {
    return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limit)}: invalid syntax`);
  }
  const version = query.get('resourceVersion') ?? '';
  if (/^\d*$/.test(version)) return null;
  const shown = JSON.stringify(version);
  return plainError(
    `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`,
  );
}

interface Snapshot {
  readonly objects: readonly StoredObject[];
  readonly version: number;
}

function snapshot(
  { store, history, stale }: ApiContext,
  resource: string,
  matches: Matches,
): Snapshot {
  const version = stale ? history.versionBefore(resource, matches) : null;
  const older = version === null ? null : history.asOf(resource, version);
  if (version !== null && older !== null) return { objects: older, version };
  const now = store.list(resource);
  return { objects: now.ok ? now.object : [], version: Number(store.resourceVersion()) };
}

function page(
  { route, query }: ResourceRequest,
  { objects, version }: Snapshot,
  matches: Matches,
  mark?: PageMark,
): JsonAnswer {
  const all = objects.filter(matches);
  const rest = mark === undefined ? all : all.filter((object) => keyOf(object) > mark.after);
  const size = pageSize(query);
  const items = size === 0 ? rest : rest.slice(0, size);
  const last = items.at(-1);
  const left = rest.length - items.length;
  // The remaining count is known only for a list without selectors.
  const isWhole = !query.has('labelSelector') && !query.has('fieldSelector');
  const more =
    left > 0 && last !== undefined
      ? {
          continue: writeMark({ version, after: keyOf(last) }),
          ...(isWhole ? { remainingItemCount: left } : {}),
        }
      : {};
  return json(200, {
    kind: `${route.entry.kind}List`,
    apiVersion: apiVersionOf(route.entry),
    metadata: { resourceVersion: String(version), ...more },
    items: items.map(asItem),
  });
}

/** List items carry no kind and apiVersion of their own, as on the real server. */
function asItem(object: StoredObject): object {
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}
