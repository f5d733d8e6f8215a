import { parseYamlDocuments } from '../../domain/documents/parsed-documents.js';
import type { Tristate } from '../../domain/vocabulary.js';
import type { CallOptions, KubernetesApi, ObjectRef } from '../ports.js';
import type { ConfigMapObject } from './objects.js';
import type { KubeadmReading } from './readings.js';

export const KUBEADM_CONFIG: ObjectRef = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'kubeadm-config',
};

export const CLUSTER_CONFIGURATION = 'ClusterConfiguration';

export async function readKubeadm(
  api: KubernetesApi,
  options: CallOptions,
): Promise<KubeadmReading> {
  const found = await api.get<ConfigMapObject>(KUBEADM_CONFIG, options);
  if (found === null) return { configMap: 'absent', clusterConfiguration: '' };
  const text = found.object.data?.[CLUSTER_CONFIGURATION] ?? '';
  return { configMap: text === '' ? 'unknown' : 'present', clusterConfiguration: text };
}

/** Whether kubeadm was told of an external etcd (`etcd.external`); without its ConfigMap nobody knows. */
export function isEtcdExternal({ clusterConfiguration }: KubeadmReading): Tristate {
  const [document] = parseYamlDocuments(clusterConfiguration).documents;
  const etcd = memberOf(document?.value, 'etcd');
  if (document === undefined) return 'unknown';
  return memberOf(etcd, 'external') === undefined ? 'no' : 'yes';
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
