import { boundedDiff } from '../domain/yaml/redacted-diff.js';
import { maskEnvironment } from '../domain/yaml/mask-environment.js';
import { yamlText } from '../domain/yaml/yaml-edit.js';
import {
  type AnyObject,
  digestObject,
  type ServiceSpec,
  significantPart,
} from './object-digest.js';
import type { ApiObject } from './ports.js';

/** An object before and after a write: both digests, and what is shown of it. */
export interface ObjectChange {
  readonly before: string;
  readonly after: string;
  readonly diff: string;
}

/**
 * What a write changes in an object, for evidence. Shown is the part that the digests cover, and the content of kinds whose
 * digest is an annotation; nothing of kinds that we do not write. Null stands for an absent object.
 */
export function objectChange(before: ApiObject | null, after: ApiObject | null): ObjectChange {
  return {
    ...{ before: digestObject(before), after: digestObject(after) },
    diff: boundedDiff([{ before: shownPart(before), after: shownPart(after) }]),
  };
}

function shownPart(object: AnyObject | null): string | null {
  if (object === null) return null;
  const kind: string = object.kind ?? '';
  switch (kind) {
    case 'ConfigMap':
      return yamlText(maskedData(object.data));
    case 'Lease':
    case 'Role':
    case 'ClusterRole':
    case 'RoleBinding':
    case 'ClusterRoleBinding':
    case 'Node':
      return yamlText(significantPart(object));
    case 'Service':
      return yamlText(askedOfService(object.spec));
    case 'DaemonSet':
      return yamlText(object.spec ?? {});
    default:
      return null;
  }
}

/** Without what the server allocates: a patch leaves that as it is. */
function askedOfService({ type = '', ports = [] }: ServiceSpec = {}): unknown {
  return { type, ports: ports.map(({ name = '', port = 0 }) => ({ name, port })) };
}

/** Values of a ConfigMap are documents of their own. */
function maskedData(data: unknown): Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null) return {};
  const texts = Object.entries(data).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts.map(([key, text]) => [key, maskEnvironment(String(text))]));
}
