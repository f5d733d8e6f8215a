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

function conflict(resource: string, name: string, why: string): ApiRefusal {
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

/** An error without a reason at the API server: 500 with the Go error text. */
export function plainError(message: string): ApiRefusal {
  return refusal(500, '', message);
}

/** Failed preconditions of a delete name the kind where other errors name the resource (registry/rest/delete.go). */
export function deletePrecondition(resource: string, name: string, why: string): ApiRefusal {
  const entry = resourceKind(resource);
  const kind = entry?.kind ?? resource;
  const group = entry?.group ?? '';
  const what = group === '' ? kind : `${kind}.${group}`;
  return {
    ...refusal(409, 'Conflict', `Operation cannot be fulfilled on ${what} "${name}": ${why}`),
    details: { name, ...(group === '' ? {} : { group }), kind },
  };
}

/** A write that names another uid than the object's, as the storage reports it (etcd3/store.go). */
export function otherUid(ref: ResourceRef, wanted: string, present: string): ApiRefusal {
  const entry = resourceKind(ref.resource);
  const folder = STORED_AS[ref.resource] ?? ref.resource;
  const key = ['/registry', folder, ...(ref.namespace === undefined ? [] : [ref.namespace])];
  const why =
    `StorageError: invalid object, Code: 4, Key: ${key.join('/')}/${ref.name}, ResourceVersion: 0, ` +
    `AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${present}`;
  return conflict(entry?.resource ?? ref.resource, ref.name, why);
}

/** Kinds that etcd stores under an older name. */
const STORED_AS: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
};

export interface FieldError {
  readonly field: string;
  readonly type: 'Invalid' | 'Required' | 'NotSupported' | 'Forbidden' | 'TooLong';
  /** For example `Invalid value: 0: must be greater than 0`. */
  readonly message: string;
}

export function invalidValue(field: string, value: string, why: string): FieldError {
  return { field, type: 'Invalid', message: `Invalid value: ${value}: ${why}` };
}

export function requiredValue(field: string, why = ''): FieldError {
  return { field, type: 'Required', message: `Required value${why === '' ? '' : `: ${why}`}` };
}

export function unsupportedValue(
  field: string,
  value: string,
  supported: readonly string[],
): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(', ');
  const message = `Unsupported value: ${value}: supported values: ${list}`;
  return { field, type: 'NotSupported', message };
}

export function forbiddenValue(field: string, why: string): FieldError {
  return { field, type: 'Forbidden', message: `Forbidden: ${why}` };
}

/** The subject of an Invalid: an object's kind, or another type of the API. */
export interface InvalidSubject {
  readonly kind: string;
  readonly group: string;
  readonly name: string;
}

/** 422 with its causes (apimachinery pkg/api/errors `NewInvalid`); duplicate errors are reported once. */
export function invalid(
  { kind, group, name }: InvalidSubject,
  errors: readonly FieldError[],
): ApiRefusal {
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const told = lines.length === 1 ? lines.join('') : `[${lines.join(', ')}]`;
  const what = group === '' ? kind : `${kind}.${group}`;
  return {
    ...refusal(422, 'Invalid', `${what} ${JSON.stringify(name)} is invalid: ${told}`),
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: errors.map(({ field, type, message }) => ({
        ...{ reason: `FieldValue${type}`, message, field },
      })),
    },
  };
}

/** A path that no handler serves. */
export function unknownPath(): ApiRefusal {
  return refusal(404, 'NotFound', 'the server could not find the requested resource');
}
