import type { ExecPlugin } from './exec-plugin.js';
import type { ClusterEntry, ExecEntry } from './kubeconfig-schema.js';
import { Secret } from './secret.js';

/** Cluster information passed to a plugin when the kubeconfig asks for it (client-go: clientauthentication Cluster). */
const TOLD = ['server', 'tls-server-name', 'certificate-authority-data'] as const;

/** A plugin as the kubeconfig names it; values of its environment may be secrets. */
export function pluginOf(
  { apiVersion, command, args, env, provideClusterInfo }: ExecEntry,
  cluster: ClusterEntry,
): ExecPlugin {
  const environment = (env ?? []).map(({ name, value }) => [name, new Secret(value)] as const);
  const told = TOLD.flatMap((name) => {
    const value = cluster[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...{ apiVersion, command, arguments: args ?? [] },
    environment: Object.fromEntries(environment),
    cluster: provideClusterInfo === true ? Object.fromEntries(told) : null,
  };
}
