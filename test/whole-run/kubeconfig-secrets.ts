import { readFileSync, writeFileSync } from 'node:fs';
import type { Canary } from './canaries.js';
import type { OneCluster } from './one-cluster.js';

const ADMINISTRATOR = { user: 'kubernetes-admin', groups: ['system:masters'] };

/** What of this kubeconfig must not leave it: token, or lines of the client's key, as PEM and as the file encodes them. */
export function secretsOf(kubeconfig: string): readonly Canary[] {
  const token = /"token": "([^"]+)"/.exec(kubeconfig)?.[1];
  const key = /"client-key-data": "([^"]+)"/.exec(kubeconfig)?.[1];
  const lines =
    key === undefined ? [] : Buffer.from(key, 'base64').toString('utf8').split('\n').slice(1, -2);
  return [
    ...(token === undefined ? [] : [{ place: 'token of the kubeconfig', value: token }]),
    ...(key === undefined ? [] : [{ place: 'client key, as the kubeconfig has it', value: key }]),
    ...lines.map((value) => ({ place: 'line of the client key', value })),
  ];
}

/** Replaces the cluster's kubeconfig with one that holds a client certificate; the next observation uses it. */
export function useClientCertificate({ simulator, cluster }: OneCluster): readonly Canary[] {
  const text = simulator.kubeconfigFor(cluster.id, ADMINISTRATOR, 'clientCertificate');
  return use(simulator.kubeconfigs[cluster.id] ?? '', text);
}

/** Replaces it with one whose token the API server does not know. */
export function useWrongToken({ simulator, cluster }: OneCluster, wrong: Canary): void {
  const text = simulator.kubeconfigFor(cluster.id, ADMINISTRATOR, 'token');
  use(
    simulator.kubeconfigs[cluster.id] ?? '',
    text.replace(/"token": "[^"]+"/, `"token": "${wrong.value}"`),
  );
}

function use(path: string, text: string): readonly Canary[] {
  writeFileSync(path, text, { mode: 0o600 });
  return secretsOf(readFileSync(path, 'utf8'));
}
