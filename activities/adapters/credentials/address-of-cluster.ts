import { dirname, resolve } from 'node:path';
import type { InventoryCluster } from '../../../config/loaded-inventories.js';
import { readRegularText } from '../../../config/regular-file.js';
import { digestJson } from '../../../domain/digest.js';
import { failure } from '../../failures.js';
import { nativeDigest } from '../../native-digest.js';
import { type ClusterAddress, type Credential, parseKubeconfig } from './kubeconfig.js';

/** Where a cluster is reached and as whom; equal fingerprints may share connections. */
export interface FoundAddress {
  readonly address: ClusterAddress;
  /** Shows whether anything that identifies us or the server changed. A digest, so that no secret is stored twice. */
  readonly fingerprint: string;
}

type KubeconfigEntry = Pick<InventoryCluster, 'name' | 'kubeconfig' | 'context' | 'allow'>;

/** What the text of a kubeconfig was found to say; the text itself is not kept. */
interface Understood extends FoundAddress {
  readonly digest: string;
}

/** One for each entry of the inventory, of its latest text: a renewed credential replaces the one before. */
const understood = new Map<string, Understood>();

/**
 * Reads the kubeconfig of an inventory entry, each time: the next activity uses a renewed credential. A text that was understood
 * is not parsed again, unless it names files, which may have changed: parsing costs more than a millisecond, for every activity.
 */
export async function addressOf(entry: KubeconfigEntry): Promise<FoundAddress> {
  const { name, kubeconfig, context, allow } = entry;
  const text = await readText(kubeconfig, `kubeconfig of cluster ${name}`);
  const digest = nativeDigest(text);
  const key = JSON.stringify([kubeconfig, context, allow]);
  const known = understood.get(key);
  if (known?.digest === digest) return known;
  const named: string[] = [];
  const found = await understand(entry, text, (path) => void named.push(path));
  if (named.length === 0) understood.set(key, { ...found, digest });
  else understood.delete(key);
  return found;
}

async function understand(
  { kubeconfig, context, allow }: KubeconfigEntry,
  text: string,
  onReference: (path: string) => void,
): Promise<FoundAddress> {
  const folder = dirname(kubeconfig);
  const parsed = await parseKubeconfig(text, {
    source: kubeconfig,
    ...(context === undefined ? {} : { context }),
    allowFileReferences: allow.fileReferences,
    allowExec: allow.exec,
    readReference: (path) => {
      onReference(path);
      return readText(resolve(folder, path), `file named by ${kubeconfig}`);
    },
  });
  const address = { ...parsed, credential: fromFolder(folder, parsed.credential) };
  return { address, fingerprint: fingerprintOf(address) };
}

/**
 * Relative paths are relative to the kubeconfig's folder, as in client-go; a command without a slash is found on PATH.
 */
function fromFolder(folder: string, credential: Credential): Credential {
  if (credential.kind === 'tokenFile') {
    return { ...credential, path: resolve(folder, credential.path) };
  }
  if (credential.kind !== 'exec') return credential;
  const { plugin } = credential;
  const command = plugin.command.includes('/') ? resolve(folder, plugin.command) : plugin.command;
  return { ...credential, plugin: { ...plugin, command } };
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readRegularText(path);
  } catch (cause) {
    const why = systemCode(cause) === 'EISDIR' ? 'is a folder, not a file' : 'is not readable';
    const details = { reason: 'FileUnreadable' };
    throw failure('InvalidInput', `${what} ${why}: ${path}`, { cause, details });
  }
}

function systemCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
}

function fingerprintOf({ credential, ...address }: ClusterAddress): string {
  return digestJson({ ...address, kind: credential.kind, proof: proofOf(credential) });
}

function proofOf(credential: Credential): unknown {
  switch (credential.kind) {
    case 'token':
      return credential.token.reveal();
    case 'tokenFile':
      return credential.path;
    case 'clientCertificate':
      return [credential.certificate, credential.key.reveal()];
    case 'exec': {
      const { environment, ...plugin } = credential.plugin;
      const revealed = Object.entries(environment).map(([name, value]) => [name, value.reveal()]);
      return [plugin, revealed];
    }
  }
}
