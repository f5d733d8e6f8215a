import { readSigningKey } from '../../config/access/signing-key-file.js';
import { signStatement } from '../../activities/authority/signed-statement.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import type { Statement } from '../../domain/authority/statement.js';
import { type StatementVerb, VERB_RULES } from '../../domain/authority/verb-roles.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { noteOf } from '../runs/connection.js';

/** Signs what is asked for, so that workers with an access policy know who asks. */
export interface Signer {
  readonly keyId: string;
  readonly sign: (statement: Statement) => Envelope;
}

/** The key that the command line, the environment or the note of `dev` names; null where none does. */
export async function signerOf(cli: Pick<Cli, 'options' | 'env'>): Promise<Signer | null> {
  const { options, env } = cli;
  const path =
    options.text('key') ?? env['CCM_MIGRATE_KEY'] ?? (await noteOf(cli))?.signingKey ?? null;
  return path === null || path === '' ? null : readSigner(path);
}

/** The same for this command: a brake does not wait for a key that cannot be read, because it needs none. */
export async function signerFor(
  cli: Pick<Cli, 'options' | 'env'>,
  verb: StatementVerb,
): Promise<Signer | null> {
  const signer = signerOf(cli);
  return VERB_RULES[verb].isBrake ? signer.catch(() => null) : signer;
}

/** @throws UsageError in plain words; it never quotes the file */
export async function readSigner(path: string): Promise<Signer> {
  const { key, keyId } = await readSigningKey(path).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  return { keyId, sign: (statement) => signStatement(statement, key, keyId) };
}
