import { parseYamlDocuments } from '../../domain/documents/parsed-documents.js';
import { type PodSelection, selectEachOther } from '../../domain/facts/pod-selectors.js';
import { CCM_NAME, SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { failure } from '../failures.js';
import type { ApiObject } from '../ports.js';
import type { StepSession } from './step-session.js';
import { requestOptions } from './step-session.js';

/** A DaemonSet in the fields that say which pods are its own. */
interface SelectingObject extends ApiObject {
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
    };
  };
}

/**
 * Refuses to create our DaemonSet beside another that selects its pods, or whose pods it selects, for example the vendor's
 * from whose manifest ours was derived. Approving a foreign CCM does not change its selector.
 */
export async function requireOwnSelection(session: StepSession, manifest: string): Promise<void> {
  const [document] = parseYamlDocuments(manifest).documents;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own rendering, read back by the same strict parser
  const ours = selectionOf(document?.value as SelectingObject);
  const { items } = await session.ports.api.list<SelectingObject>(
    { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: SYSTEM_NAMESPACE },
    requestOptions(session),
  );
  const [other] = items.filter(
    (one) => one.metadata?.name !== CCM_NAME && selectEachOther(ours, selectionOf(one)),
  );
  if (other === undefined) return;
  const { selector } = selectionOf(other);
  const words = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  throw failure(
    'ForeignEdit',
    `DaemonSet ${SYSTEM_NAMESPACE}/${other.metadata?.name ?? ''} (selector ${words.join(', ')}) and the one that is to ` +
      'be made select pods of each other: remove it, or give ccm.manifest a selector and pod labels of its own, then `ccm-migrate retry`',
  );
}

function selectionOf({ spec }: SelectingObject): PodSelection {
  return {
    selector: spec?.selector?.matchLabels ?? {},
    labels: spec?.template?.metadata?.labels ?? {},
  };
}
