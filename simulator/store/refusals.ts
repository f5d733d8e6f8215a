import type { ApiRefusal, ResourceRef } from '../model.js';
import { qualifiedName, resourceKind } from './resources.js';

/** Refusals worded like those of apimachinery (pkg/api/errors/errors.go), so that clients meet familiar text. */

function qualified(resource: string): string {
  const entry = resourceKind(resource);
  return entry === undefined ? resource : qualifiedName(entry);
}

export function refusal(code: ApiRefusal['code'], reason: string, message: string): ApiRefusal {
  return { ok: false, code, reason, message };
}

export function notFound(resource: string, name: string): ApiRefusal {
  return refusal(404, 'NotFound', `${qualified(resource)} "${name}" not found`);
}

export function alreadyExists(resource: string, name: string): ApiRefusal {
  return refusal(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`);
}

export function conflict(resource: string, name: string, why: string): ApiRefusal {
  const what = `Operation cannot be fulfilled on ${qualified(resource)} "${name}"`;
  return refusal(409, 'Conflict', `${what}: ${why}`);
}

export function modified(ref: ResourceRef): ApiRefusal {
  const why =
    'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(ref.resource, ref.name, why);
}

export function badRequest(message: string): ApiRefusal {
  return refusal(400, 'BadRequest', message);
}

export function invalid(kind: string, name: string, why: string): ApiRefusal {
  return refusal(422, 'Invalid', `${kind} "${name}" is invalid: ${why}`);
}

/** A path that no handler serves. */
export function unknownPath(): ApiRefusal {
  return refusal(404, 'NotFound', 'the server could not find the requested resource');
}
