import { signatureFault } from '../../activities/authority/signatures.js';
import type { BytesSigner } from '../../activities/authority/signed-statement.js';
import { keyIdOf } from '../../config/access/public-keys.js';
import {
  SSH_ED25519,
  SSH_FIDO,
  sshFingerprint,
  type SshPublicKey,
} from '../../config/access/ssh-public-key.js';
import {
  type AgentConnection,
  AgentFailure,
  agentKeys,
  type AgentSignature,
  agentSignature,
} from './ssh-agent.js';

/** The agent of this user, and how a person is told that it waits for them. */
export interface OwnAgent extends AgentConnection {
  /** SSH_AUTH_SOCK; empty without one. */
  readonly socketPath: string;
  readonly tell: (text: string) => void;
}

/** An agent that has not answered by then waits for a touch or a confirmation. */
const TELL_AFTER_MS = 1_000;
const LISTS_WITHIN_MS = 10_000;

/**
 * Signs with an Ed25519 key that an ssh-agent holds. It signs the very bytes that it is given (RFC 8709, section 5), so that its
 * signatures are those of a key file, and who checks them need not know of agents. A FIDO key behind it signs digests instead.
 *
 * A signature of a statement is none for ssh, nor the other way round: DSSE's bytes begin with `DSSEv1 `. What a login signs
 * begins with the length of a session's id (RFC 4252, section 7), which these letters would make 1.1 GB; files and commits with
 * `SSHSIG` (OpenSSH, PROTOCOL.sshsig); and a host signs a bare hash (RFC 4253, section 8), which is shorter than any statement.
 *
 * One signature is asked for after the other: a person touches a key once for each. `sign` rejects with what to do next.
 */
export function agentSigner(key: SshPublicKey, agent: OwnAgent): BytesSigner {
  let last: Promise<unknown> = Promise.resolve();
  const keyId = keyIdOf(key.publicKey);
  return {
    sign: (bytes) => {
      const signed = last.then(async () => signedBy(agent, key, bytes));
      last = signed.catch(() => undefined);
      return signed.then((sig) => ({ keyId, sig }));
    },
  };
}

async function signedBy(agent: OwnAgent, key: SshPublicKey, bytes: Buffer): Promise<Buffer> {
  const name = sshFingerprint(key.blob);
  if (agent.socketPath === '')
    throw new AgentFailure(`${NO_AGENT}, and \`ssh-add\` the key ${name}`);
  try {
    await requireKey(agent, key);
    const signature = await toldOf(agent, name, () => agentSignature(agent, key.blob, bytes));
    return proven(signature, key, bytes);
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    throw new AgentFailure(`the ssh-agent at ${agent.socketPath} ${error.message}`);
  }
}

const NO_AGENT =
  'no ssh-agent is known (SSH_AUTH_SOCK is not set): start one, `eval "$(ssh-agent)"`';

/** Asked for before a signature, because agents refuse that without a reason. */
async function requireKey(agent: OwnAgent, { blob }: SshPublicKey): Promise<void> {
  const withinMs = Math.min(agent.withinMs, LISTS_WITHIN_MS);
  const held = await agentKeys({ ...agent, withinMs });
  if (held.some((each) => each.equals(blob))) return;
  const names = held.slice(0, MOST_SHOWN).map(sshFingerprint);
  const more = held.length > MOST_SHOWN ? ` and ${String(held.length - MOST_SHOWN)} more` : '';
  const holds = held.length === 0 ? EMPTY : `it holds ${names.join(', ')}${more}`;
  throw new AgentFailure(
    `does not hold ${sshFingerprint(blob)}: \`ssh-add\` its private half; ${holds}`,
  );
}

const MOST_SHOWN = 8;
/** A locked agent says that it holds none (OpenSSH, ssh-agent.c). */
const EMPTY = 'it holds no key, or is locked (`ssh-add -X`)';

async function toldOf<T>(agent: OwnAgent, name: string, sign: () => Promise<T>): Promise<T> {
  const seconds = String(agent.withinMs / 1000);
  const line = `waiting for the ssh-agent to sign with ${name}: touch the key or confirm (${seconds} s at most)\n`;
  const timer = setTimeout(() => agent.tell(line), TELL_AFTER_MS);
  try {
    return await sign();
  } finally {
    clearTimeout(timer);
  }
}

/** An agent may be another program than it seems: what it gives is believed as far as it can be checked. */
function proven({ algorithm, sig }: AgentSignature, key: SshPublicKey, bytes: Buffer): Buffer {
  const { application, publicKey: spki } = key;
  const isFido = application !== null;
  const named = isFido ? { spki, fido: { application, pin: false } } : { spki };
  const fault = signatureFault(named, bytes, sig);
  const isNamed = algorithm === (isFido ? SSH_FIDO : SSH_ED25519);
  if (!isNamed || fault === 'wrong') throw new AgentFailure(FORGED);
  if (fault !== null) throw new AgentFailure(UNTOUCHED);
  return sig;
}

const FORGED =
  'gave a signature that is not of this key, and nothing was sent: see which agent SSH_AUTH_SOCK names';
const UNTOUCHED =
  'signed without a touch, which no worker accepts: make a key without `-O no-touch-required`';
