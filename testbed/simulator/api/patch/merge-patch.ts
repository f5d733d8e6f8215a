import { isObject, type JsonObject } from '../../../base/json.js';

/** JSON merge patch (RFC 7386): null removes a member, objects merge, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // fromEntries defines own members, so a member named __proto__ stays data.
  return Object.fromEntries(merged) satisfies JsonObject;
}
