import { GATE_CATALOGUE } from '../../domain/gates/catalogue/gate-catalogue.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { emptyTrace } from '../../domain/ownership/ownership.js';
import { measured } from '../../domain/gates/samples/measurement.js';
import type { CountReading } from '../../domain/gates/own/own-counts.js';
import type { MigrationPolicy, OwnCountGate, OwnGate } from '../../domain/policy.js';
import type { UnreadSource } from '../../domain/preflight/preflight-check.js';
import { readObjects } from '../observe/read-objects.js';
import type { CallOptions, CloudLists, ClusterMetrics, ClusterPorts } from '../ports.js';
import { placesIn } from './gate-places.js';
import { orUnmeasured } from './or-unmeasured.js';
import { readOwnCounts, readOwnGauge } from './own-readings.js';
import { scrapeManager } from './process-scrapes.js';
import { wantedBy } from './wanted-metrics.js';

/** What is asked of: the ports that a guard's samplers use. */
interface SourcePorts {
  readonly processes: Pick<ClusterPorts['processes'], 'metrics'>;
  readonly api: Pick<ClusterPorts['api'], 'list'>;
  readonly metrics?: ClusterMetrics;
  readonly cloud?: CloudLists;
}

interface SourceRequest extends CallOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * What the gates of a policy need to read and cannot, read once as the guard of a run reads it: each manager's page through its
 * node, Services, Nodes and Events, and what the operator's own gates ask a Prometheus for; and the cloud's own list. Empty
 * where all of it can be read, or where the policy judges none. Read only.
 */
export async function unreadSources(
  { processes, api, metrics, cloud }: SourcePorts,
  { metricGates, lock }: Pick<MigrationPolicy, 'metricGates' | 'lock'>,
  observation: ClusterObservation,
  request: SourceRequest,
): Promise<readonly UnreadSource[]> {
  const [pages, objects, own, balancers] = await Promise.all([
    metricGates?.catalogue === 'nodes'
      ? unreadPages(processes, lock.controllers, observation, request)
      : [],
    metricGates?.objects === 'watch' ? unreadObjects(api, request) : [],
    Promise.all((metricGates?.own ?? []).map((gate) => unreadGate(metrics, gate, request))),
    cloud === undefined ? [] : unreadCloud(cloud, request),
  ]);
  return [...pages, ...objects, ...own.flat(), ...balancers];
}

async function unreadPages(
  processes: SourcePorts['processes'],
  controllers: MigrationPolicy['lock']['controllers'],
  observation: ClusterObservation,
  request: SourceRequest,
): Promise<readonly UnreadSource[]> {
  const wanted = wantedBy(GATE_CATALOGUE);
  const places = placesIn(observation, emptyTrace(controllers, observation.observedAtMs));
  const read = await Promise.all(
    places.map(async ({ node, place, serving: { manager } }) => {
      const scrape = await scrapeManager(processes, { node, manager, wanted }, request);
      return scrape.kind === 'measured'
        ? []
        : [{ source: 'pages', place, why: scrape.why } as const];
    }),
  );
  return read.flat();
}

async function unreadObjects(
  api: SourcePorts['api'],
  { signal, timeoutMs }: SourceRequest,
): Promise<readonly UnreadSource[]> {
  const reading = await readObjects(api, { signal, timeoutMs, successes: 'whereFailing' });
  if (reading.kind === 'measured') return [];
  return [{ source: 'objects', place: 'Services, Nodes and Events', why: reading.why }];
}

async function unreadGate(
  metrics: ClusterMetrics | undefined,
  gate: OwnGate,
  { signal, now }: SourceRequest,
): Promise<readonly UnreadSource[]> {
  const nowMs = now();
  const reading =
    gate.kind === 'gauge'
      ? await readOwnGauge(metrics, { gate, signal, nowMs })
      : await readNow(metrics, gate, { signal, nowMs });
  return reading.kind === 'measured' ? [] : [{ source: 'own', place: gate.name, why: reading.why }];
}

async function readNow(
  metrics: ClusterMetrics | undefined,
  gate: OwnCountGate,
  asked: { readonly signal: AbortSignal; readonly nowMs: number },
): Promise<CountReading['counts']> {
  const request = { ...asked, gate, isFirst: false, onNoPast: () => undefined };
  const { counts } = await readOwnCounts(metrics, request);
  return counts;
}

async function unreadCloud(
  cloud: CloudLists,
  { signal, timeoutMs }: SourceRequest,
): Promise<readonly UnreadSource[]> {
  const listed = await orUnmeasured(async () =>
    measured(await cloud.loadBalancers({ signal, timeoutMs })),
  );
  return listed.kind === 'measured'
    ? []
    : [{ source: 'cloud', place: 'load balancers of the cloud', why: listed.why }];
}
