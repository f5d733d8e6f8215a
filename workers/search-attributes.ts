import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../config/names.js';

const WITHIN_MS = 5_000;

/**
 * Refuses a namespace that lacks our search attributes: every workflow task would fail there repeatedly, and the only symptom
 * would be a run that does not progress.
 */
export async function requireSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<void> {
  const { customAttributes } = await connection.withDeadline(Date.now() + WITHIN_MS, () =>
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  const missing = SEARCH_ATTRIBUTES.filter(({ name }) => !Object.hasOwn(customAttributes, name));
  if (missing.length === 0) return;
  const commands = missing.map(
    ({ name, type }) =>
      `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type === 'BOOL' ? 'Bool' : 'Keyword'}`,
  );
  throw new Error(
    `namespace ${namespace} lacks search attributes; run:\n  ${commands.join('\n  ')}`,
  );
}
