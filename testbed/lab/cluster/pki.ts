import { generateKeyPairSync } from 'node:crypto';
import {
  createAuthority,
  type CertificateAuthority,
  type Identity,
} from '../../base/auth/certificates.js';
import type { ApiRequester } from '../../base/auth/requester.js';
import { kubeconfigText } from '../../base/auth/written-kubeconfig.js';

/** Users and groups of a kubeadm cluster's components (kubernetes/kubernetes cmd/kubeadm/app/phases/kubeconfig). */
export const USERS = {
  admin: { user: 'kubernetes-admin', groups: ['kubeadm:cluster-admins'] },
  /** Works before and without RBAC: used by the lab itself. */
  superAdmin: { user: 'kubernetes-super-admin', groups: ['system:masters'] },
  /** The product's own: what its role grants, and the machines API, which knows no roles. */
  worker: { user: 'ccm-migrate', groups: ['ccmlab:machines'] },
  kcm: { user: 'system:kube-controller-manager', groups: [] },
  ccm: { user: 'system:cloud-controller-manager', groups: [] },
  scheduler: { user: 'system:kube-scheduler', groups: [] },
  /** May read metrics and health (kubernetes/kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */
  prometheus: { user: 'prometheus', groups: ['system:monitoring'] },
  apiServerToKubelet: {
    user: 'kube-apiserver-kubelet-client',
    groups: ['kubeadm:cluster-admins'],
  },
} as const;

/** Names and address by which clients reach a cluster's API server. */
const API_SERVER_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
  '127.0.0.1',
  // First address of the Service network: Service default/kubernetes.
  '10.96.0.1',
];

const HOUR_MS = 3600 * 1000;

/** A cluster's authorities and keys. They exist in this process and on the nodes that need them. */
export interface ClusterPki {
  readonly authority: CertificateAuthority;
  readonly frontProxy: CertificateAuthority;
  /** For an etcd whose members run on the nodes. */
  readonly etcd: CertificateAuthority;
  readonly serviceAccounts: { readonly privatePem: string; readonly publicPem: string };
  readonly apiServer: Identity;
  /** Same key and names as `apiServer`, but expired for an hour. */
  expiredApiServer(): Identity;
  readonly frontProxyClient: Identity;
  readonly apiServerToKubelet: Identity;
  issue(user: ApiRequester): Identity;
  /** All credentials inline, for the cluster's single address. */
  kubeconfig(user: ApiRequester): string;
}

export function nodeUser(node: string): ApiRequester {
  return { user: `system:node:${node}`, groups: ['system:nodes'] };
}

export function createPki(cluster: string, address: string, server: string): ClusterPki {
  const authority = createAuthority('kubernetes');
  const frontProxy = createAuthority('front-proxy-ca');
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = ['kube-apiserver', address, ...API_SERVER_NAMES];
  const apiServer = authority.issueServer(names);
  const { privateKeyPem } = apiServer;
  const issue = ({ user, groups }: ApiRequester): Identity =>
    authority.issueClient(user, groups, cluster);
  return {
    authority,
    frontProxy,
    etcd: createAuthority('etcd-ca'),
    serviceAccounts: {
      privatePem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicPem: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
    apiServer,
    expiredApiServer: () =>
      authority.issueServer(names, { privateKeyPem, notAfter: new Date(Date.now() - HOUR_MS) }),
    frontProxyClient: frontProxy.issueClient('front-proxy-client', [], cluster),
    apiServerToKubelet: issue(USERS.apiServerToKubelet),
    issue,
    kubeconfig: (user) =>
      kubeconfigText({
        cluster: 'kubernetes',
        server,
        authorityPem: authority.certificatePem,
        user: user.user,
        credential: { clientCertificate: issue(user) },
      }),
  };
}
