import { parseYaml } from '../documents/parse-yaml.js';
import type { StoredObject } from '../model.js';
import { isObject, textAt, type JsonObject } from '../store/json.js';
import { invalid } from '../store/refusals.js';
import { badRequestAnswer, refusalAnswer, statusAnswer } from './answers.js';
import { currentObject, storeNew, storeNext, writerOf } from './writes.js';
import { detailsOf, type ApiContext, type ResourceRequest } from './context.js';
import { applyPatch, type ApplyConflict } from './patch/apply-patch.js';
import { jsonPatch, PatchError } from './patch/json-patch.js';
import { mergePatch } from './patch/merge-patch.js';
import { strategicPatch } from './patch/strategic-patch.js';
import type { JsonAnswer } from './request.js';

type Edit = (target: unknown, patch: unknown) => unknown;

const EDITS: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  ['application/json-patch+json', jsonPatch],
  ['application/merge-patch+json', mergePatch],
  ['application/strategic-merge-patch+json', (target, patch) => strategicPatch(target, patch)],
]);

const APPLY = 'application/apply-patch+yaml';

/** PATCH in each of its four forms, told apart by the content type. */
export function patchObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const type = request.contentType.split(';')[0]?.trim() ?? '';
  if (type === APPLY) return applyObject(context, request);
  const edit = EDITS.get(type);
  if (edit === undefined) return unsupported(type);
  const patch = parsed(request.body);
  if (patch === undefined) return badRequestAnswer('the body of the patch is not JSON');
  if (type !== 'application/json-patch+json' && !isObject(patch)) {
    return badRequestAnswer('a merge patch is a JSON object');
  }
  const found = currentObject(context, request.route);
  if (!found.ok) return refusalAnswer(found, detailsOf(request.route));
  return edited(context, request, found.object, () => edit(found.object, patch));
}

function edited(
  context: ApiContext,
  request: ResourceRequest,
  before: StoredObject,
  edit: () => unknown,
): JsonAnswer {
  const { route } = request;
  try {
    const after = edit();
    if (!isObject(after)) return badRequestAnswer('the patch leaves no object');
    return storeNext(context, request, before, after);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const refused = invalid(route.entry.kind, before.metadata.name, error.message);
    return refusalAnswer(refused, detailsOf(route));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unsupported(type: string): JsonAnswer {
  const known = [...EDITS.keys(), APPLY].join(', ');
  return statusAnswer({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format (${type}) - accepted media types include: ${known}`,
  });
}

/** Server-side apply: creates what is not there, and refuses to take fields from others unless forced. */
function applyObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route, query } = request;
  const body = parseYaml(request.body, { uniqueKeys: true });
  if (!body.ok || !isObject(body.value)) {
    return badRequestAnswer('the body of an apply patch is not an object in YAML or JSON');
  }
  if ((query.get('fieldManager') ?? '') === '') {
    return refusalAnswer(
      invalid('PatchOptions', '', 'fieldManager: Required value: is required for apply patch'),
    );
  }
  const configuration = body.value;
  const found = currentObject(context, route);
  if (!found.ok && found.code !== 404) return refusalAnswer(found, detailsOf(route));
  const current = found.ok ? found.object : null;
  const writer = { ...writerOf(context, request), operation: 'Apply' as const };
  const result = applyPatch(current, configuration, writer, query.get('force') === 'true');
  if (result.kind === 'conflict') return conflictAnswer(request, result.conflicts);
  return current === null
    ? storeNew(context, request, result.object, 'keep')
    : storeNext(context, request, current, versionOf(configuration, result.object), 'keep');
}

/** Without a version of its own an apply never fails for the version. */
function versionOf(configuration: JsonObject, object: JsonObject): JsonObject {
  if (textAt(configuration, 'metadata', 'resourceVersion') !== '') return object;
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const { resourceVersion: _version, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function conflictAnswer(
  { route }: ResourceRequest,
  conflicts: readonly ApplyConflict[],
): JsonAnswer {
  const count = `${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}`;
  const listed = conflicts.map(({ manager, field }) => `conflict with "${manager}": ${field}`);
  return statusAnswer({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${count}: ${listed.join(', ')}`,
    details: {
      ...detailsOf(route),
      causes: conflicts.map(({ manager, field }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${manager}"`,
        field,
      })),
    },
  });
}
