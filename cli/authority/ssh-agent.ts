import { connect } from 'node:net';
import { firstSshStrings, sshNumber, sshString, sshStrings } from '../../config/access/ssh-wire.js';

/** Where an agent listens, how long it may take for one answer, and what ends the wait. */
export interface AgentConnection {
  readonly socketPath: string;
  readonly withinMs: number;
  readonly signal: AbortSignal | null;
}

/** What an agent did wrong, or why it cannot be reached: a sentence that goes on after its name. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
}

/** Types of messages in draft-ietf-sshm-ssh-agent. */
const FAILURE = 5;
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;

/** OpenSSH's own bound for a message (AGENT_MAX_LEN of ssh-agent.c). */
const LONGEST_MESSAGE = 256 * 1024;
const LENGTH_BYTES = 4;
const FLAGS_NONE = 0;

/** Public keys that an agent holds, as it names them. @throws AgentFailure */
export async function agentKeys(agent: AgentConnection): Promise<readonly Buffer[]> {
  const answer = await exchange(agent, Buffer.of(REQUEST_IDENTITIES));
  if (answer[0] !== IDENTITIES_ANSWER || answer.length < 1 + LENGTH_BYTES) {
    throw new AgentFailure(`does not say which keys it holds: ${CHECK}`);
  }
  // Key and comment, in turn.
  const strings = sshStrings(answer.subarray(1 + LENGTH_BYTES));
  if (strings?.length !== 2 * answer.readUInt32BE(1)) throw new AgentFailure(GARBLED);
  return strings.filter((_, index) => index % 2 === 0);
}

const CHECK = 'see whether SSH_AUTH_SOCK names an agent: `ssh-add -l`';
const GARBLED = `gave an answer that is no message of its protocol: ${CHECK}`;

/** What an agent gives as a signature: the algorithm that it names, and the bytes; of a FIDO key with flags and counter. */
export interface AgentSignature {
  readonly algorithm: string;
  readonly sig: Buffer;
}

/** Has an agent sign bytes with a key that it holds. Nothing about the answer is proven. @throws AgentFailure */
export async function agentSignature(
  agent: AgentConnection,
  blob: Buffer,
  bytes: Buffer,
): Promise<AgentSignature> {
  const asked = [sshString(blob), sshString(bytes), sshNumber(FLAGS_NONE)];
  const answer = await exchange(agent, Buffer.concat([Buffer.of(SIGN_REQUEST), ...asked]));
  if (answer[0] === FAILURE) throw new AgentFailure(REFUSED);
  if (answer[0] !== SIGN_RESPONSE) throw new AgentFailure(GARBLED);
  const signature = signatureIn(sshStrings(answer.subarray(1)) ?? []);
  if (signature === null) throw new AgentFailure(GARBLED);
  return signature;
}

function signatureIn([signature, ...more]: readonly Buffer[]): AgentSignature | null {
  const read = signature === undefined ? null : firstSshStrings(signature, 2);
  const [algorithm, sig] = read?.strings ?? [];
  if (algorithm === undefined || sig === undefined || more.length > 0) return null;
  const tail = read?.rest ?? Buffer.alloc(0);
  return { algorithm: algorithm.toString('latin1'), sig: Buffer.concat([sig, tail]) };
}

/** OpenSSH's agent answers all of these alike. */
const REFUSED =
  'refused to sign: it was declined, the agent is locked (`ssh-add -X`), or the key is bound to hosts (added with `ssh-add -h`)';

/** One request and its answer, on a connection of its own, so that no answer is taken for that of another. */
async function exchange(agent: AgentConnection, request: Buffer): Promise<Buffer> {
  const { socketPath, withinMs, signal } = agent;
  signal?.throwIfAborted();
  const socket = connect({ path: socketPath });
  const late = new AgentFailure(
    `did not answer within ${String(withinMs / 1000)} s: try again, and touch the key or confirm when it asks`,
  );
  const timer = setTimeout(() => socket.destroy(late), withinMs);
  const interrupt = (): void => void socket.destroy(new Error('interrupted'));
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    socket.write(sshString(request));
    return await messageFrom(socket);
  } catch (error) {
    if (signal?.aborted === true || error instanceof AgentFailure) throw error;
    throw new AgentFailure(unreached(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
    socket.destroy();
  }
}

/** The first message, which must be all that comes. A length that is not plausible is not waited for. */
async function messageFrom(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for await (const chunk of stream) {
    received = Buffer.concat([received, chunk]);
    if (received.length < LENGTH_BYTES) continue;
    const length = received.readUInt32BE();
    const rest = received.length - LENGTH_BYTES - length;
    if (length === 0 || length > LONGEST_MESSAGE || rest > 0) throw new AgentFailure(GARBLED);
    if (rest === 0) return received.subarray(LENGTH_BYTES);
  }
  throw new AgentFailure(`closed the connection before its answer was complete: ${CHECK}`);
}

const START = 'start one (`eval "$(ssh-agent)"`), or set SSH_AUTH_SOCK to the one that runs';

const UNREACHED: Readonly<Record<string, string>> = {
  ENOENT: `is not there any more: ${START}`,
  ECONNREFUSED: `has ended: ${START}`,
  EACCES: 'is of another user, and may not be asked: set SSH_AUTH_SOCK to your own',
};

function unreached(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return UNREACHED[String(code)] ?? `cannot be talked to: ${String(error)}`;
}
