import { digestJson } from '../domain/digest.js';
import { RUN_CCM_LABEL } from '../domain/manifests/paths.js';
import type { ApiObject } from './ports.js';

/** What is asked of a Service; the server allocates the rest. */
export interface ServiceSpec {
  readonly type?: string;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
}

/** An object in the fields that are read of it for evidence. */
export interface AnyObject extends ApiObject {
  readonly data?: unknown;
  readonly rules?: unknown;
  readonly roleRef?: unknown;
  readonly subjects?: unknown;
  readonly spec?: ServiceSpec & {
    readonly holderIdentity?: string | null;
    readonly unschedulable?: boolean;
  };
}

/**
 * Annotation that a release leaves on a Lease, with an id of this release. Managers keep unknown fields when they take and
 * renew a Lease (client-go writes the object it read, with its own spec), so it still proves the release after the next
 * holder has come.
 */
export const RELEASE_NOTE = 'ccm-migrate.dev/released';

/** Annotation with the digest of the content we sent, on kinds whose content the server fills up with defaults. */
export const CONTENT_NOTE = 'ccm-migrate.dev/content';

/**
 * Digest of what matters in an object: the same before it is sent and after it is read back, so that a later observation can
 * decide whether a write took effect. Empty for an absent object.
 */
export function digestObject(object: ApiObject | null): string {
  if (object === null) return '';
  return digestJson(significantPart(object));
}

/** What its digest covers, in plain JSON. */
// eslint-disable-next-line complexity -- one row for each kind, with defaults for absent fields
export function significantPart(object: AnyObject): unknown {
  const { metadata } = object;
  const kind: string = object.kind ?? '';
  switch (kind) {
    case 'Lease':
      return {
        holder: object.spec?.holderIdentity ?? '',
        epoch: epochNote(metadata?.annotations),
        released: metadata?.annotations?.[RELEASE_NOTE] ?? '',
      };
    case 'ConfigMap':
      return object.data ?? {};
    case 'Role':
    case 'ClusterRole':
      return object.rules ?? [];
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return { roleRef: object.roleRef, subjects: object.subjects };
    case 'Node':
      return {
        runCcm: metadata?.labels?.[RUN_CCM_LABEL] ?? '',
        cordoned: object.spec?.unschedulable === true,
      };
    case 'Pod':
      return { uid: metadata?.uid ?? '' };
    default:
      return { content: metadata?.annotations?.[CONTENT_NOTE] ?? '' };
  }
}

function epochNote(annotations: Readonly<Record<string, string>> | undefined): string {
  return annotations?.['ccm-migrate.dev/epoch'] ?? '';
}
