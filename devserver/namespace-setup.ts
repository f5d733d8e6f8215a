import { SEARCH_ATTRIBUTES } from '../config/names.js';
import { runProgram, type ProgramResult } from './run-program.js';

const CLI_TYPE = { KEYWORD: 'Keyword', BOOL: 'Bool' } as const;

/** `[name, type]` of our search attributes, typed as the Temporal CLI spells it. */
export const SEARCH_ATTRIBUTE_TYPES: readonly (readonly [string, string])[] = SEARCH_ATTRIBUTES.map(
  ({ name, type }) => [name, CLI_TYPE[type]],
);

/** The dev server forgets closed workflows after 24 h; a migration's history is evidence and must outlive its soak. */
const RETENTION_DAYS = 90;

export interface NamespaceTarget {
  readonly cliPath: string;
  readonly address: string;
  readonly namespace: string;
}

/**
 * Sets the namespace's retention; success also proves that the server is ready. Resolves to null when done and
 * otherwise to the reason, so that the caller can wait for a starting server.
 */
export async function setRetention(target: NamespaceTarget): Promise<string | null> {
  const args = ['operator', 'namespace', 'update', '--retention', `${RETENTION_DAYS * 24}h`];
  const result = await operate(target, args);
  return result.code === 0 ? null : result.stderr.trim();
}

/**
 * `start-dev --search-attribute` works on a new database only: attributes missing from an older one are created here.
 */
export async function addMissingSearchAttributes(target: NamespaceTarget): Promise<void> {
  const listed = await operate(target, ['operator', 'search-attribute', 'list', '-o', 'json']);
  const missing = SEARCH_ATTRIBUTE_TYPES.filter(([name]) => !listed.stdout.includes(`"${name}"`));
  for (const [name, type] of missing) {
    const args = ['operator', 'search-attribute', 'create', '--name', name, '--type', type];
    const created = await operate(target, args);
    if (created.code !== 0) throw new Error(`search attribute ${name}: ${created.stderr.trim()}`);
  }
}

/** The CLI gets an empty environment: an operator's own TEMPORAL_* settings belong to another server. */
async function operate(target: NamespaceTarget, args: readonly string[]): Promise<ProgramResult> {
  return runProgram(
    target.cliPath,
    [
      ...args,
      ...['--address', target.address, '--namespace', target.namespace],
      ...['--disable-config-env', '--disable-config-file', '--command-timeout', '10s'],
    ],
    { env: {} },
  );
}
