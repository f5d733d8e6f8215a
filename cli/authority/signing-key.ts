import { sign } from 'node:crypto';
import {
  type BytesSigner,
  type KeySignature,
  signStatement,
} from '../../activities/authority/signed-statement.js';
import { readSigningKey } from '../../config/access/signing-key-file.js';
import { sshKeyNamed } from '../../config/access/ssh-key-named.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import type { Statement } from '../../domain/authority/statement.js';
import { type StatementVerb, VERB_RULES } from '../../domain/authority/verb-roles.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { noteOf } from '../runs/connection.js';
import { agentSigner, type OwnAgent } from './agent-signer.js';
import { AgentFailure } from './ssh-agent.js';
import { TokenFailure, type TokenProgram } from './token-program.js';
import { tellOfToken, tokenCommand, tokenSigner } from './token-signer.js';

/** Signs what is asked for, so that workers with an access policy know who asks. */
export interface Signer {
  /** Whether another program, and perhaps the person before it, are asked for each signature. */
  readonly asksProgram: boolean;
  /** @throws UsageError where that program does not sign: what is wrong, and what to do next */
  readonly sign: (statement: Statement) => Promise<Envelope>;
  /** Signs other bytes, which no statement can be; null where tokens sign, which are for statements. Throws as `sign` does. */
  readonly signBytes: ((bytes: Buffer) => Promise<KeySignature>) | null;
}

/** Who asks: what names the key, and where a person is told that an agent waits for them. */
export type Asker = Pick<Cli, 'options' | 'env' | 'terminal' | 'signal'>;

/** A person may have to find the key, and touch it. */
const SIGNS_WITHIN_MS = 60_000;

/** The key that the command line, the environment or the note of `dev` names; null where none does. */
export async function signerOf(cli: Asker, withinMs = SIGNS_WITHIN_MS): Promise<Signer | null> {
  const { options, env, terminal, signal } = cli;
  const named =
    options.text('key') ?? env['CCM_MIGRATE_KEY'] ?? (await noteOf(cli))?.signingKey ?? null;
  if (named === null || named === '') return null;
  const socketPath = env['SSH_AUTH_SOCK'] ?? '';
  const tell: OwnAgent['tell'] = (text) => terminal.err(text);
  return readSigner(named, { socketPath, withinMs, signal, tell, env });
}

/** The same for this command: a brake does not wait for a key that cannot be read, because it needs none. */
export async function signerFor(cli: Asker, verb: StatementVerb): Promise<Signer | null> {
  const signer = signerOf(cli);
  return VERB_RULES[verb].isBrake ? signer.catch(() => null) : signer;
}

/** The programs of this user that sign: an agent, and what a command of theirs starts. */
export type OwnPrograms = OwnAgent & TokenProgram;

const NONE: OwnPrograms = {
  ...{ socketPath: '', withinMs: 0, signal: null, tell: () => undefined, env: {} },
};

/**
 * The signer of a key file, of a key that an agent holds, which is named by its public half, or of the tokens that a command
 * prints. No program is asked before there is something to sign.
 * @throws UsageError in plain words; it never quotes the file
 */
export async function readSigner(named: string, programs: OwnPrograms = NONE): Promise<Signer> {
  const { by, asksProgram, isKey, announce } = await keyNamed(named, programs).catch(plainly);
  return {
    asksProgram,
    sign: async (statement) => {
      announce?.(statement);
      return signStatement(statement, by).catch(ofProgram);
    },
    signBytes: isKey ? async (bytes) => by.sign(bytes).catch(ofProgram) : null,
  };
}

function ofProgram(error: unknown): never {
  const isOfProgram = error instanceof AgentFailure || error instanceof TokenFailure;
  throw isOfProgram ? new UsageError(error.message) : error;
}

interface KeyNamed {
  readonly by: BytesSigner;
  readonly asksProgram: boolean;
  readonly isKey: boolean;
  /** Says what is waited for, before a program is asked. */
  readonly announce?: (statement: Statement) => void;
}

async function keyNamed(named: string, programs: OwnPrograms): Promise<KeyNamed> {
  const command = tokenCommand(named);
  if (command !== null) {
    const announce = (statement: Statement): void => tellOfToken(programs, statement);
    return { by: tokenSigner(command, programs), asksProgram: true, isKey: false, announce };
  }
  const key = await sshKeyNamed(named);
  if (key !== null) return { by: agentSigner(key, programs), asksProgram: true, isKey: true };
  return { by: await fileSigner(named), asksProgram: false, isKey: true };
}

async function fileSigner(path: string): Promise<BytesSigner> {
  const { key, keyId } = await readSigningKey(path);
  return { sign: async (bytes) => ({ keyId, sig: sign(null, bytes, key) }) };
}

function plainly(error: unknown): never {
  throw new UsageError(error instanceof Error ? error.message : String(error));
}
