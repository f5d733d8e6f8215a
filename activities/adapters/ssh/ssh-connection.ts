import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import type { CommandOutput } from './remote-answer.js';
import type { RemoteRequest } from './remote-request.js';

/** The outcome of one command. `notSent`: the node received nothing of it, so it had no effect. */
export type CommandOutcome =
  | { readonly kind: 'ended'; readonly output: CommandOutput }
  | { readonly kind: 'notSent'; readonly why: string }
  | { readonly kind: 'tooLong' };

/** A byte stream to a port on the node. */
export type ForwardOutcome =
  | { readonly kind: 'open'; readonly stream: Duplex }
  | { readonly kind: 'nobodyListens' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'notSent'; readonly why: string };

/** One authenticated connection to one node. */
export interface SshConnection {
  run(request: RemoteRequest, signal: AbortSignal): Promise<CommandOutcome>;
  forward(address: string, port: number, signal: AbortSignal): Promise<ForwardOutcome>;
  alive(): boolean;
  /** Called once, when it is closed or lost. */
  whenClosed(listener: () => void): void;
  close(): void;
}

/** sshd's MaxSessions is 10; other sessions may share it. */
const MAX_CHANNELS = 6;
/** 1 MiB of content in base64, plus metadata. */
const MAX_STDOUT = 1.5 * 1024 * 1024;
const MAX_STDERR = 4096;

/** RFC 4254, 5.1: why a server does not open a channel. */
const PROHIBITED = 1;
const CONNECT_FAILED = 2;

export function sshConnection(client: Client, socket: Socket): SshConnection {
  const slots = createSlots(MAX_CHANNELS);
  let alive = true;
  let running = 0;
  client.on('close', () => (alive = false));
  // Callers waiting on a channel already get the error; without a listener it would end the program.
  client.on('error', () => (alive = false));
  return {
    run: async (request, signal) => {
      for (;;) {
        const giveBack = await slots.take(signal);
        running += 1;
        const outcome = await runCommand(client, () => alive, request, signal).finally(() => {
          running -= 1;
          if (signal.aborted) giveBack();
        });
        // The server allows fewer channels than we do: this slot is never used again, and another one becomes free.
        if (outcome.kind === 'notSent' && alive && running > 0) continue;
        giveBack();
        return outcome;
      }
    },
    forward: async (address, port, signal) => {
      const giveBack = await slots.take(signal);
      const outcome = await openForward(client, () => alive, address, port).catch(notSent);
      if (outcome.kind === 'open') takeUntilClosed(outcome.stream, signal, giveBack);
      else giveBack();
      return outcome;
    },
    alive: () => alive,
    whenClosed: (listener) => {
      if (socket.destroyed) listener();
      else socket.once('close', listener);
    },
    close: () => {
      alive = false;
      client.end();
      socket.destroySoon();
    },
  };
}

function takeUntilClosed(stream: Duplex, signal: AbortSignal, giveBack: () => void): void {
  stream.once('close', giveBack);
  // The caller has left while it was being opened.
  if (signal.aborted) letGo(stream);
}

/**
 * Closes a stream that is not read to its end. ssh2 says `close` only after everything that had arrived was read
 * (lib/utils.js, onCHANNEL_CLOSE), and without it the stream's place among the channels would never come free.
 */
export function letGo(stream: Duplex): void {
  stream.resume();
  stream.destroy();
}

function runCommand(
  client: Client,
  alive: () => boolean,
  { command, input }: RemoteRequest,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  if (!alive()) return Promise.resolve(notSent(new Error('the connection is closed')));
  return new Promise((resolve, reject) => {
    let open: ClientChannel | null = null;
    const stop = (): void => {
      open?.close();
      reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
    };
    signal.addEventListener('abort', stop, { once: true });
    const settle = (outcome: CommandOutcome): void => {
      signal.removeEventListener('abort', stop);
      resolve(outcome);
    };
    client.exec(command, (error, channel) => {
      if (error !== undefined) {
        settle(notSent(error));
        return;
      }
      open = channel;
      if (signal.aborted) channel.close();
      else collect(channel, settle).end(input);
    });
  });
}

/** Collects the command's output, within bounds, until its channel closes. */
function collect(channel: ClientChannel, settle: (outcome: CommandOutcome) => void): ClientChannel {
  const stdout: Buffer[] = [];
  let size = 0;
  let stderr = '';
  let exitCode: number | null = null;
  channel.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_STDOUT) stdout.push(chunk);
    else {
      settle({ kind: 'tooLong' });
      channel.close();
    }
  });
  channel.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
  });
  channel.on('exit', (code: number | null) => (exitCode = code));
  // A write to a command that has ended fails; its output and exit code are more useful.
  channel.on('error', () => undefined);
  channel.on('close', () => {
    settle({ kind: 'ended', output: { stdout: Buffer.concat(stdout), stderr, exitCode } });
  });
  return channel;
}

function openForward(
  client: Client,
  alive: () => boolean,
  address: string,
  port: number,
): Promise<ForwardOutcome> {
  if (!alive()) return Promise.resolve(notSent(new Error('the connection is closed')));
  return new Promise((resolve) => {
    client.forwardOut('127.0.0.1', 0, address, port, (error, stream) => {
      if (error === undefined) resolve({ kind: 'open', stream });
      else resolve(notForwarded(error));
    });
  });
}

function notForwarded(error: Error): ForwardOutcome {
  const reason = 'reason' in error ? error.reason : null;
  if (reason === CONNECT_FAILED) return { kind: 'nobodyListens' };
  return reason === PROHIBITED ? { kind: 'forbidden' } : notSent(error);
}

function notSent(error: unknown): { readonly kind: 'notSent'; readonly why: string } {
  return { kind: 'notSent', why: error instanceof Error ? error.message : 'unknown' };
}

/** A bounded number of slots; later callers wait in line. */
export interface Slots {
  /** Resolves with a function that releases the slot; rejects when `signal` aborts first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const line: (() => void)[] = [];
  const giveBack = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const onceOnly = (): (() => void) => {
    let given = false;
    return () => {
      if (!given) giveBack();
      given = true;
    };
  };
  return {
    take: (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return Promise.resolve(onceOnly());
      }
      return new Promise((resolve, reject) => {
        const admit = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(onceOnly());
        };
        const leave = (): void => {
          line.splice(line.indexOf(admit), 1);
          reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
        };
        line.push(admit);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
