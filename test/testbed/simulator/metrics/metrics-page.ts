import type { Manager } from '../../../../domain/vocabulary.js';
import type { Environment } from '../environment.js';

/** The value of a series as it stands in the page, or undefined: `name`, or `name{labels}`. */
export function seriesIn(page: string, series: string): number | undefined {
  const line = page.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Names of all metrics with a type line, in the page's order. */
export function familiesIn(page: string): readonly string[] {
  return [...page.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? '');
}

/** A histogram's cumulative buckets by edge, without those that are equal to the one before. */
export function stepsIn(page: string, name: string): Readonly<Record<string, number>> {
  const buckets = [
    ...page.matchAll(new RegExp(`^${name}_bucket\\{.*le="([^"]+)"\\} (\\S+)$`, 'gm')),
  ];
  const steps: Record<string, number> = {};
  let before = 0;
  for (const [, edge = '', count] of buckets) {
    if (Number(count) !== before) steps[edge] = Number(count);
    before = Number(count);
  }
  return steps;
}

/** The page of the manager that runs the service controller, on the first of its nodes. */
export function ownerPage(environment: Environment): string {
  const [owner = ''] = environment.owners();
  const [, manager, node = ''] = /^(kcm|ccm):(.+)#\d+$/.exec(owner) ?? [];
  const isManager = (name: string | undefined): name is Manager => name === 'kcm' || name === 'ccm';
  return isManager(manager) ? environment.metrics(node, manager) : '';
}

/** Events of a reason, with what they say. */
export function eventsOf(environment: Environment, reason: string): readonly ToldOf[] {
  const answer = environment.cluster.store.list('events');
  if (!answer.ok) throw new Error(answer.message);
  return answer.object
    .filter((event) => event['reason'] === reason)
    .map((event) => ({
      about: (event['involvedObject'] as { readonly name: string }).name,
      message: String(event['message']),
      count: Number(event['count']),
    }));
}

export interface ToldOf {
  readonly about: string;
  readonly message: string;
  readonly count: number;
}

/** A worker joins: a Ready Node whose instance the cloud has, initialized or as an external kubelet registers it. */
export function joinNode(environment: Environment, name: string, taint?: string): void {
  environment.cluster.store.create('nodes', {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name } },
    spec: {
      podCIDR: '10.99.0.0/24',
      ...(taint === undefined
        ? { providerID: `labcloud://${name}` }
        : { taints: [{ key: taint, effect: 'NoSchedule' }] }),
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  });
}
