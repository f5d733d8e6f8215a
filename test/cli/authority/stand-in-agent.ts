import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sshNumber, sshString, sshStrings } from '../../../config/access/ssh-wire.js';
import { sshBlobOf } from '../../../config/access/ssh-public-key.js';

/** A pair of keys as ssh and as a policy name them. */
export interface AgentKey {
  readonly key: KeyObject;
  readonly spki: string;
  readonly blob: Buffer;
  /** The line of its .pub file. */
  readonly line: string;
}

export function newAgentKey(): AgentKey {
  const { privateKey: key, publicKey } = generateKeyPairSync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const blob = sshBlobOf(spki);
  return { key, spki, blob, line: `ssh-ed25519 ${blob.toString('base64')} ana@laptop\n` };
}

/** What an agent does with a message, byte for byte; null: it says nothing. */
export type Behaviour = (asked: Buffer, socket: Socket) => Buffer | null;

export const LISTS = 11;
export const SIGNS = 13;

/** An answer of this type. */
export function framed(type: number, body: Buffer): Buffer {
  return sshString(Buffer.concat([Buffer.of(type), body]));
}

export function listOf(...blobs: readonly Buffer[]): Buffer {
  const entries = blobs.flatMap((blob) => [sshString(blob), sshString('a comment')]);
  return framed(12, Buffer.concat([sshNumber(blobs.length), ...entries]));
}

export function signatureOf(algorithm: string, sig: Buffer): Buffer {
  return framed(14, sshString(Buffer.concat([sshString(algorithm), sshString(sig)])));
}

/** The bytes that a request wants signed. */
export function askedBytes(asked: Buffer): Buffer {
  const strings = sshStrings(asked.subarray(1, -4)) ?? [];
  return strings[1] ?? Buffer.alloc(0);
}

/** As an agent does that holds this key. */
export function honest({ key, blob }: AgentKey): Behaviour {
  return (asked) =>
    asked[0] === LISTS
      ? listOf(blob)
      : signatureOf('ssh-ed25519', sign(null, askedBytes(asked), key));
}

export interface StandInAgent {
  readonly socketPath: string;
  /** Types of the messages that came. */
  readonly asked: readonly number[];
  readonly close: () => Promise<void>;
}

/** Listens as an agent does, and behaves as told. */
export async function standInAgent(behaves: Behaviour): Promise<StandInAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-agent-'));
  const socketPath = join(folder, 'agent.sock');
  const asked: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < 4 + received.readUInt32BE()) return;
      const message = received.subarray(4);
      asked.push(message[0] ?? 0);
      const answer = behaves(message, socket);
      if (answer !== null) socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => void server.listen(socketPath, resolve));
  return {
    ...{ socketPath, asked },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
