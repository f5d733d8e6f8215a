import { readFile } from 'node:fs/promises';
import { failure } from '../failures.js';
import type { ExecPlugin } from './exec-plugin.js';
import { runExecPlugin } from './exec-plugin.js';
import type { Credential } from './kubeconfig.js';
import { Secret } from './secret.js';

/** Bound tokens rotate on disk; client-go also reads the file about once a minute. */
const MAX_AGE_MS = 60_000;
/** A token must not expire while a request is in flight. */
const BEFORE_EXPIRY_MS = 30_000;

/** The current bearer token, re-read or fetched again when necessary. */
export interface TokenSource {
  read(): Promise<Secret | null>;
  /** Values that must not appear in any text. */
  secrets(): readonly string[];
}

export function tokenSource(credential: Credential): TokenSource {
  switch (credential.kind) {
    case 'clientCertificate':
      return { read: () => Promise.resolve(null), secrets: () => [] };
    case 'token': {
      const { token } = credential;
      return { read: () => Promise.resolve(token), secrets: () => [token.reveal()] };
    }
    case 'tokenFile':
      return renewed(() => fromFile(credential.path));
    case 'exec':
      return renewed(() => fromPlugin(credential.plugin));
  }
}

interface Held {
  readonly token: Secret;
  /** On the clock of `performance.now()`, which clock corrections do not affect. */
  readonly goodUntil: number;
}

/** One fetch at a time, shared by all callers. */
function renewed(fetchToken: () => Promise<Held>): TokenSource {
  let held: Held | null = null;
  let fetching: Promise<Held> | null = null;
  return {
    read: async () => {
      if (held !== null && performance.now() < held.goodUntil) return held.token;
      fetching ??= fetchToken().finally(() => (fetching = null));
      held = await fetching;
      return held.token;
    },
    secrets: () => (held === null ? [] : [held.token.reveal()]),
  };
}

async function fromFile(path: string): Promise<Held> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw failure('Unauthorized', `token file ${path} of the kubeconfig is not readable`, {
      cause,
    });
  });
  return { token: new Secret(text.trim()), goodUntil: performance.now() + MAX_AGE_MS };
}

async function fromPlugin(plugin: ExecPlugin): Promise<Held> {
  const { token, expiresAtMs } = await runExecPlugin(plugin);
  const goodForMs = expiresAtMs === null ? MAX_AGE_MS : expiresAtMs - Date.now() - BEFORE_EXPIRY_MS;
  return { token, goodUntil: performance.now() + goodForMs };
}
