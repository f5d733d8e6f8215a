import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Identity } from './certificates.js';

export type UserCredential = { readonly token: string } | { readonly clientCertificate: Identity };

export interface KubeconfigParts {
  readonly cluster: string;
  readonly server: string;
  readonly authorityPem: string;
  readonly user: string;
  readonly credential: UserCredential;
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** A kubeconfig with all credentials inline. It is JSON, which is valid YAML and quotes every value correctly. */
export function kubeconfigText(parts: KubeconfigParts): string {
  const { cluster, server, authorityPem, user, credential } = parts;
  const context = `${user}@${cluster}`;
  const shown =
    'token' in credential
      ? { token: credential.token }
      : {
          'client-certificate-data': base64(credential.clientCertificate.certificatePem),
          'client-key-data': base64(credential.clientCertificate.privateKeyPem),
        };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: cluster, cluster: { server, 'certificate-authority-data': base64(authorityPem) } },
    ],
    users: [{ name: user, user: shown }],
    contexts: [{ name: context, context: { cluster, user } }],
    'current-context': context,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Writes a file that only its owner may read, and creates its folder. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600 });
}
