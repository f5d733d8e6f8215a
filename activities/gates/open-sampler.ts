import type { MetricGatePolicy } from '../../domain/policy.js';
import type { GateMemory, GateSampler, Sampling } from './gate-sampler.js';
import { openLane } from '../observe/in-turn.js';
import { ObjectSampler } from './object-sampler.js';
import { OwnSampler } from './own-sampler.js';
import { PageSampler } from './page-sampler.js';

/** The samplers that a policy asks for, as one. */
export function openGateSampler(
  { ports, ...others }: Sampling,
  policy: MetricGatePolicy | undefined,
  { gates, objects, own }: GateMemory,
): GateSampler {
  const sampling = { ...others, ports: oneAtATime(ports) };
  const samplers: GateSampler[] = [];
  if (policy?.catalogue === 'nodes') samplers.push(new PageSampler(sampling, policy, gates));
  if (policy?.objects === 'watch') samplers.push(new ObjectSampler(sampling, policy, objects));
  if (policy?.own !== undefined) samplers.push(new OwnSampler(sampling, policy, own));
  return together(samplers);
}

/**
 * Nothing waits for a reading, so that one connection is enough: guards read gates also while their clusters rest
 * (`in-turn.ts`).
 */
function oneAtATime({ processes, api, metrics }: Sampling['ports']): Sampling['ports'] {
  const lane = openLane();
  return {
    processes: { metrics: (...given) => lane(() => processes.metrics(...given)) },
    api: { list: (ref, options) => lane(() => api.list(ref, options)) },
    // Asked for all clusters together, on connections of its own.
    ...(metrics === undefined ? {} : { metrics }),
  };
}

function together(samplers: readonly GateSampler[]): GateSampler {
  return {
    observed: async (seen) => {
      await Promise.all(samplers.map((each) => each.observed(seen)));
    },
    isRead: () => samplers.every((each) => each.isRead()),
    accepted: (epoch, isAccepted) => {
      for (const each of samplers) each.accepted(epoch, isAccepted);
    },
    verdicts: () => samplers.flatMap((each) => each.verdicts()),
    book: () => samplers.reduce<GateMemory>((all, each) => ({ ...all, ...each.book() }), {}),
    settled: async () => {
      await Promise.all(samplers.map((each) => each.settled()));
    },
    close: async () => {
      await Promise.all(samplers.map((each) => each.close()));
    },
  };
}
