import { MANAGED_BY, MANAGED_BY_LABEL } from '../../domain/manifests/paths.js';
import { failure } from '../failures.js';
import type { FencedAct } from '../fence/fenced-mutation.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import { objectChange } from '../object-change.js';
import { digestObject } from '../object-digest.js';
import type { ApiObject, ObjectRef } from '../ports.js';
import type { StepSession } from './step-session.js';
import { requestOptions } from './step-session.js';

/** An object with everything its path needs. */
export interface NamedObject extends ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: NonNullable<ApiObject['metadata']> & { readonly name: string };
}

export function refOf({ apiVersion, kind, metadata }: NamedObject): ObjectRef {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

export async function readObject(session: StepSession, ref: ObjectRef): Promise<ApiObject | null> {
  const found = await session.ports.api.get<ApiObject>(ref, requestOptions(session));
  // Answers may omit what the path already contained.
  return found === null ? null : { ...found.object, apiVersion: ref.apiVersion, kind: ref.kind };
}

export function isOurs({ metadata }: ApiObject): boolean {
  return metadata?.labels?.[MANAGED_BY_LABEL] === MANAGED_BY;
}

/**
 * Ensures the wanted state of an object of ours: created when absent, replaced when it differs. One of the same name that is
 * not ours and differs is never overwritten: `ForeignEdit`.
 */
export async function ensureObject(session: StepSession, wanted: NamedObject): Promise<void> {
  const act = await creationOf(session, wanted);
  if (act !== null) await fencedMutation(session, act.mutation, act.act);
}

/** What `ensureObject` would do, to be sent together with others; null when there is nothing to do. */
export async function creationOf(
  session: StepSession,
  wanted: NamedObject,
): Promise<FencedAct | null> {
  const ref = refOf(wanted);
  const object = objectName(ref);
  const knownAbsent = session.cached.accessObjects?.has(object) === false && isAccess(wanted);
  const present = knownAbsent ? null : await readObject(session, ref);
  if (present === null) return creation(session, wanted);
  if (digestObject(present) === digestObject(wanted)) return null;
  if (!isOurs(present)) throw notOurs(object);
  const resourceVersion = present.metadata?.resourceVersion ?? '';
  const replacement = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
  return {
    mutation: { verb: 'update', object, ...objectChange(present, wanted) },
    act: () => session.ports.api.replace(replacement, requestOptions(session)),
  };
}

/** Creates an object of ours that was just found absent; `Conflict` when it exists after all. */
export async function createOurObject(session: StepSession, wanted: NamedObject): Promise<void> {
  const { mutation, act } = creation(session, wanted);
  await fencedMutation(session, mutation, act);
}

function creation(session: StepSession, wanted: NamedObject): FencedAct {
  const object = objectName(refOf(wanted));
  return {
    mutation: { verb: 'create', object, ...objectChange(null, wanted) },
    act: () => session.ports.api.create(wanted, requestOptions(session)),
  };
}

/** The kinds listed by the observation before the step; an object that exists after all is a `Conflict` on create. */
function isAccess({ kind }: NamedObject): boolean {
  return /^(Cluster)?Role(Binding)?$|^ServiceAccount$/.test(kind);
}

function notOurs(object: string): Error {
  return failure(
    'ForeignEdit',
    `${object} exists with other content and is not ours (label ${MANAGED_BY_LABEL}). ` +
      'Remove or rename it, then `ccm-migrate retry`',
  );
}

/** Removal of an object of ours; null when it is absent or not ours. */
export async function removalOf(session: StepSession, ref: ObjectRef): Promise<FencedAct | null> {
  const present = await readObject(session, ref);
  return present === null || !isOurs(present) ? null : removal(session, ref, present);
}

/** Removes an object of ours; one that is not ours stays. */
export async function removeOurObject(session: StepSession, ref: ObjectRef): Promise<void> {
  const act = await removalOf(session, ref);
  if (act !== null) await fencedMutation(session, act.mutation, act.act);
}

/** Removes exactly the object that was read. */
export async function removeObject(
  session: StepSession,
  ref: ObjectRef,
  present: ApiObject,
): Promise<void> {
  const { mutation, act } = removal(session, ref, present);
  await fencedMutation(session, mutation, act);
}

function removal(session: StepSession, ref: ObjectRef, present: ApiObject): FencedAct {
  const uid = present.metadata?.uid;
  return {
    mutation: {
      verb: 'delete',
      object: objectName(ref),
      ...objectChange({ ...present, kind: ref.kind }, null),
    },
    act: () =>
      session.ports.api.remove(ref, {
        ...requestOptions(session),
        ...(uid === undefined ? {} : { uid }),
      }),
  };
}

/** Patches an object whose other parts are not ours; the resourceVersion is the precondition. */
export async function patchObject(
  session: StepSession,
  ref: ObjectRef,
  present: ApiObject,
  patch: Readonly<Record<string, unknown>>,
  patched: ApiObject,
): Promise<void> {
  const metadata = typeof patch['metadata'] === 'object' ? patch['metadata'] : {};
  const guarded = {
    ...patch,
    metadata: { ...metadata, resourceVersion: present.metadata?.resourceVersion },
  };
  await fencedMutation(
    session,
    { verb: 'patch', object: objectName(ref), ...objectChange(present, patched) },
    () => session.ports.api.mergePatch(ref, guarded, requestOptions(session)),
  );
}
