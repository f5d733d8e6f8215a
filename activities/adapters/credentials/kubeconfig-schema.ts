import { z } from 'zod';

const text = z.string().min(1);

/** Entries that the chosen context does not use are checked only in outline: another user may have a plugin. */
export const KubeconfigOutline = z.object({
  apiVersion: z.literal('v1').optional(),
  kind: z.literal('Config').optional(),
  'current-context': z.string().optional(),
  contexts: z.array(z.object({ name: text, context: z.unknown() })),
  clusters: z.array(z.object({ name: text, cluster: z.unknown() })),
  users: z.array(z.object({ name: text, user: z.unknown() })),
});
export type KubeconfigOutline = z.output<typeof KubeconfigOutline>;

export const ContextEntry = z.object({ cluster: text, user: text });

/** Members of client-go's `Cluster` (tools/clientcmd/api/v1/types.go) that we honour; `disable-compression` changes nothing here. */
export const ClusterEntry = z.strictObject({
  server: text,
  'tls-server-name': text.optional(),
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'disable-compression': z.boolean().optional(),
  'insecure-skip-tls-verify': z.literal(false).optional(),
  extensions: z.unknown().optional(),
});
export type ClusterEntry = z.output<typeof ClusterEntry>;

/** Members of client-go's `ExecConfig`; only `interactiveMode: Always` needs what we do not have, a terminal. */
const ExecEntry = z.strictObject({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: text,
  args: z.array(z.string()).nullish(),
  env: z.array(z.strictObject({ name: text, value: z.string() })).nullish(),
  installHint: z.string().optional(),
  interactiveMode: z.enum(['Never', 'IfAvailable']).optional(),
  provideClusterInfo: z.boolean().optional(),
});
export type ExecEntry = z.output<typeof ExecEntry>;

/** Members of client-go's `AuthInfo` that we honour. */
export const UserEntry = z.strictObject({
  token: text.optional(),
  tokenFile: text.optional(),
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
  exec: ExecEntry.optional(),
  extensions: z.unknown().optional(),
});
export type UserEntry = z.output<typeof UserEntry>;

/** Valid kubeconfig settings that we refuse, with the alternative. */
export const REFUSED: Readonly<Record<string, string>> = {
  exec: 'it starts a program on this machine. Put a token or a client certificate inline, for example of a ServiceAccount made for ccm-migrate, or set allow.exec for this cluster',
  'auth-provider':
    'credential plugins of that kind were removed in Kubernetes 1.26. Put a token or a client certificate inline',
  'proxy-url':
    'requests go straight to the API server. Run a worker that reaches it without a proxy',
  'insecure-skip-tls-verify':
    'the API server would not be authenticated. Give certificate-authority-data',
  username:
    'basic authentication was removed in Kubernetes 1.19. Use a token or a client certificate',
  password:
    'basic authentication was removed in Kubernetes 1.19. Use a token or a client certificate',
  as: 'impersonation hides who acts in the audit log. Use a credential of its own',
  'as-uid': 'impersonation hides who acts in the audit log. Use a credential of its own',
  'as-groups': 'impersonation hides who acts in the audit log. Use a credential of its own',
  'as-user-extra': 'impersonation hides who acts in the audit log. Use a credential of its own',
};
