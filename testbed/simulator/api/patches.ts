import { parseYaml } from '../documents/parse-yaml.js';
import type { ApiRefusal } from '../model.js';
import { isObject, objectAt, textAt, type JsonObject } from '../../base/json.js';
import { badRequest, invalid, plainError, refusal, requiredValue } from '../store/refusals.js';
import { badRequestAnswer, refusalAnswer, statusAnswer } from '../../base/http/answers.js';
import { withWarnings } from './bodies.js';
import { currentObject, storeNew, storeNext, writerOf } from './writes.js';
import { detailsOf, type ApiContext, type ResourceRequest } from './context.js';
import { decodePatched, fieldValidation } from './decoding/decode.js';
import { applyPatch, type ApplyConflict } from './patch/apply-patch.js';
import { jsonPatch, PatchError } from './patch/json-patch.js';
import { mergePatch } from './patch/merge-patch.js';
import { MergeKeyError, strategicPatch } from './patch/strategic-patch.js';
import type { JsonAnswer } from '../../base/http/request.js';

type Edit = (target: unknown, patch: unknown) => unknown;

const JSON_PATCH = 'application/json-patch+json';
const EDITS: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  [JSON_PATCH, jsonPatch],
  ['application/merge-patch+json', mergePatch],
  ['application/strategic-merge-patch+json', (target, patch) => strategicPatch(target, patch)],
]);

const APPLY = 'application/apply-patch+yaml';

/** PATCH in each of its four forms, selected by the content type. */
export function patchStored(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route, query } = request;
  const type = request.contentType.split(';')[0]?.trim() ?? '';
  const validation = fieldValidation(query, 'PatchOptions');
  if (typeof validation !== 'string') return refusalAnswer(validation);
  if (type === APPLY) return applyObject(context, request);
  const edit = EDITS.get(type);
  if (edit === undefined) return UNSUPPORTED;
  const found = currentObject(context, route);
  if (!found.ok) return refusalAnswer(found, detailsOf(route));
  const before = found.object;
  const edited = tryEdit(request.body, type, (patch) => edit(before, patch));
  if (!edited.ok) return refusalAnswer(edited.refused, {});
  const read = decodePatched(edited.object, route.entry, validation);
  if (!read.ok) return refusalAnswer(read.refused);
  return withWarnings(storeNext(context, request, before, read.object), read.warnings);
}

const UNSUPPORTED = statusAnswer(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});

type Edited =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly refused: ApiRefusal };

const refuse = (refused: ApiRefusal): Edited => ({ ok: false, refused });

function tryEdit(text: string, type: string, edit: (patch: unknown) => unknown): Edited {
  const patch = parsed(text);
  const broken = patch === undefined ? ENDS_EARLY : type === JSON_PATCH ? null : noMerge(patch);
  if (broken !== null) return refuse(badRequest(broken));
  try {
    const object = edit(patch);
    return isObject(object) ? { ok: true, object } : refuse(badRequest(NO_PATCH));
  } catch (error) {
    // The server gives no more detail for a JSON patch that does not fit (handlers/patch.go,
    // errors.NewGenericServerResponse).
    if (error instanceof PatchError) return refuse(refusal(422, 'Invalid', REJECTED));
    if (error instanceof MergeKeyError) return refuse(plainError(error.message));
    throw error;
  }
}

/** Why a value is not a merge patch; null when it can be one. */
function noMerge(patch: unknown): string | null {
  if (patch === null) return NO_PATCH;
  if (isObject(patch)) return null;
  const shape = Array.isArray(patch) ? 'array' : typeof patch;
  return `error decoding patch: json: cannot unmarshal ${shape} into Go value of type map[string]interface {}`;
}

const NO_PATCH = 'Invalid JSON Patch';
const ENDS_EARLY = 'error decoding patch: unexpected end of JSON input';
const REJECTED = 'the server rejected our request due to an error in our request';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Server-side apply: creates a missing object; refuses to take fields from other managers unless forced. */
function applyObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route, query } = request;
  if ((query.get('fieldManager') ?? '') === '') {
    const subject = { kind: 'PatchOptions', group: 'meta.k8s.io', name: '' };
    return refusalAnswer(
      invalid(subject, [requiredValue('fieldManager', 'is required for apply patch')]),
    );
  }
  const body = parseYaml(request.body, { uniqueKeys: true });
  if (!body.ok || !isObject(body.value)) {
    const why = 'yaml: line 1: did not find expected node content';
    return badRequestAnswer(`error decoding YAML: error converting YAML to JSON: ${why}`);
  }
  const configuration = body.value;
  const misfit = unfit(route, configuration);
  if (misfit !== null) return badRequestAnswer(misfit);
  return applied(context, request, configuration);
}

function applied(
  context: ApiContext,
  request: ResourceRequest,
  configuration: JsonObject,
): JsonAnswer {
  const { route, query } = request;
  const found = currentObject(context, route);
  if (!found.ok && found.code !== 404) return refusalAnswer(found, detailsOf(route));
  const current = found.ok ? found.object : null;
  const writer = { ...writerOf(context, request), operation: 'Apply' as const };
  const result = applyPatch(current, configuration, writer, query.get('force') === 'true');
  if (result.kind === 'conflict') return conflictAnswer(result.conflicts);
  return current === null
    ? storeNew(context, request, result.object, 'keep')
    : storeNext(context, request, current, versionOf(configuration, result.object), 'keep');
}

/** Errors in what an apply must state about itself, unlike other writes. */
function unfit({ name = '' }: ResourceRequest['route'], configuration: JsonObject): string | null {
  const kind = textAt(configuration, 'kind');
  if (textAt(configuration, 'apiVersion') === '') {
    return `invalid object type: /, Kind=${kind}`;
  }
  const said = textAt(configuration, 'metadata', 'name');
  if (said === '' || said === name) return null;
  return `the name of the object (${said}) does not match the name on the URL (${name})`;
}

/** An apply that names no version never fails on the version. */
function versionOf(configuration: JsonObject, object: JsonObject): JsonObject {
  if (textAt(configuration, 'metadata', 'resourceVersion') !== '') return object;
  const { resourceVersion: _version, ...metadata } = objectAt(object, 'metadata');
  return { ...object, metadata };
}

/** Worded as structured-merge-diff's `Conflicts.Error`: one line for a single conflict, else a list for each manager. */
function conflictAnswer(conflicts: readonly ApplyConflict[]): JsonAnswer {
  const count = `${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}`;
  const causes = conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field,
  }));
  return statusAnswer(409, 'Conflict', `Apply failed with ${count}: ${listed(conflicts)}`, {
    causes,
  });
}

function listed(conflicts: readonly ApplyConflict[]): string {
  const byManager = new Map<string, string[]>();
  for (const { manager, field } of conflicts) {
    byManager.set(manager, [...(byManager.get(manager) ?? []), field]);
  }
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) {
    return `conflict with ${only.manager}: ${only.field}`;
  }
  return [...byManager]
    .map(([manager, fields]) => [`conflicts with ${manager}:`, ...fields.map((one) => `- ${one}`)])
    .map((lines) => lines.join('\n'))
    .join('\n');
}
