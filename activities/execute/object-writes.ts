import { MANAGED_BY, MANAGED_BY_LABEL } from '../../domain/rendering/paths.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import { digestObject } from '../fence/object-digest.js';
import type { ApiObject, ObjectRef } from '../ports.js';
import type { StepSession } from './step-session.js';
import { requestOptions } from './step-session.js';

/** An object with everything that its address needs. */
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
  // Answers may leave out what the path said.
  return found === null ? null : { ...found.object, apiVersion: ref.apiVersion, kind: ref.kind };
}

export function isOurs({ metadata }: ApiObject): boolean {
  return metadata?.labels?.[MANAGED_BY_LABEL] === MANAGED_BY;
}

/**
 * Makes an object of ours be as wanted: created when absent, replaced when it differs, left alone when it is so.
 * One of the same name that is not ours and differs is never overwritten: `ForeignEdit`. Says whether it wrote.
 */
export async function ensureObject(session: StepSession, wanted: NamedObject): Promise<boolean> {
  const ref = refOf(wanted);
  const present = await readObject(session, ref);
  const [before, after] = [digestObject(present), digestObject(wanted)];
  if (present !== null && before === after) return false;
  if (present !== null && !isOurs(present)) {
    throw failure(
      'ForeignEdit',
      `${objectName(ref)} is there with another content and is not ours (label ${MANAGED_BY_LABEL}). ` +
        'Remove or rename it, then `ccm-migrate retry`',
    );
  }
  const object = objectName(ref);
  if (present === null) {
    await fencedMutation(session, { verb: 'create', object, before, after }, () =>
      session.ports.api.create(wanted, requestOptions(session)),
    );
    return true;
  }
  const resourceVersion = present.metadata?.resourceVersion ?? '';
  const replacement = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
  await fencedMutation(session, { verb: 'update', object, before, after }, () =>
    session.ports.api.replace(replacement, requestOptions(session)),
  );
  return true;
}

/** Removes an object of ours; one that is not ours stays. Says whether it removed. */
export async function removeOurObject(session: StepSession, ref: ObjectRef): Promise<boolean> {
  const present = await readObject(session, ref);
  if (present === null || !isOurs(present)) return false;
  await removeObject(session, ref, present);
  return true;
}

/** Removes exactly the object that was read. */
export async function removeObject(
  session: StepSession,
  ref: ObjectRef,
  { metadata, ...rest }: ApiObject,
): Promise<void> {
  await fencedMutation(
    session,
    {
      verb: 'delete',
      object: objectName(ref),
      before: digestObject({ ...rest, ...(metadata === undefined ? {} : { metadata }) }),
      after: '',
    },
    () =>
      session.ports.api.remove(ref, {
        ...requestOptions(session),
        ...(metadata?.uid === undefined ? {} : { uid: metadata.uid }),
      }),
  );
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
    {
      verb: 'patch',
      object: objectName(ref),
      before: digestObject(present),
      after: digestObject(patched),
    },
    () => session.ports.api.mergePatch(ref, guarded, requestOptions(session)),
  );
}
