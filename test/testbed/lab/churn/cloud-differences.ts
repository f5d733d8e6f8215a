import type { LabRuns } from '../runs/lab-runs.js';
import { SERVICES } from '../truth/lab-observations.js';
import type { ServiceObject } from '../truth/objects.js';
import { differences } from './cloud-complaints.js';

interface List<T> {
  readonly items: readonly T[];
}

interface NodeName {
  readonly metadata: { readonly name: string };
}

/** Load balancers and routes of the cloud, compared with the Services and Nodes of the API server. */
export async function cloudDifferences({ cluster }: LabRuns): Promise<readonly string[]> {
  const { api, cloud } = cluster;
  const services = (await api.must('GET', SERVICES)) as List<ServiceObject>;
  const wanted = services.items.filter(({ spec }) => spec.type === 'LoadBalancer');
  const routes = [...cloud.routes.values()].map(({ node }) => node);
  return [
    ...differences('load balancer', wanted.map(loadBalancerName), cloud.loadBalancers.keys()),
    ...differences('route to', await nodeNames(cluster), routes),
  ];
}

export async function nodeNames({ api }: LabRuns['cluster']): Promise<readonly string[]> {
  const { items } = (await api.must('GET', '/api/v1/nodes')) as List<NodeName>;
  return items.map(({ metadata }) => metadata.name);
}

/** Source: kubernetes/cloud-provider cloud.go, DefaultLoadBalancerName. */
function loadBalancerName({ metadata: { uid } }: ServiceObject): string {
  return `a${uid.replaceAll('-', '')}`.slice(0, 32);
}
