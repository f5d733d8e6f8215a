import type { Inventory } from '../../domain/observation.js';
import { SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { BASELINE_NAME, readBaseline } from '../baseline.js';
import { failure } from '../failures.js';
import { ALL_SLOW_PARTS } from '../observe/slow-parts.js';
import { takeLook } from '../observe/take-look.js';
import { readObject } from './object-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { note } from './step-session.js';

/**
 * Compares what must have survived with what was recorded at the start: addresses of load balancers, worker Nodes,
 * their providerIDs and pod ranges. Read only. A loss is `GateFailed`; what users made meanwhile is not.
 */
export async function verify(session: StepSession): Promise<EffectReport> {
  const { input, ports, clock, slow } = session;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: SYSTEM_NAMESPACE };
  const before = readBaseline(await readObject(session, { ...ref, name: BASELINE_NAME }));
  const look = await takeLook(ports, clock, { ...input, carried: slow, refresh: ALL_SLOW_PARTS });
  if (before === null) {
    note(session, 'no baseline was recorded, so there is nothing to compare with');
    return { lost: null, look };
  }
  const losses = lossesOf(before.inventory, look.observation.inventory);
  if (losses.length > 0) {
    throw failure('GateFailed', `verify: ${losses.join('; ')}. See \`ccm-migrate describe\``);
  }
  note(session, 'load balancers, Nodes and providerIDs are as recorded');
  return { lost: null, look, changed: ['inventory'] };
}

/** What is worse than it was. Equal digests prove that all is there; otherwise counts tell whether anything is missing. */
function lossesOf(before: Inventory, now: Inventory): readonly string[] {
  const served = ({ services }: Inventory): number => services.loadBalancers - services.pending;
  const sameServices = before.services.ingressDigest === now.services.ingressDigest;
  const sameCount = before.services.loadBalancers === now.services.loadBalancers;
  return [
    ...(!sameServices && sameCount ? ['CCM3009: addresses of load balancers changed'] : []),
    ...(served(now) < served(before)
      ? [
          `CCM3009: ${String(served(before))} load balancers had an address, ${String(served(now))} have`,
        ]
      : []),
    ...(now.workers.total < before.workers.total
      ? [
          `CCM3010: ${String(before.workers.total)} workers were there, ${String(now.workers.total)} are`,
        ]
      : []),
    ...(now.workers.total === before.workers.total && now.nodes.digest !== before.nodes.digest
      ? ['CCM3010: names, providerIDs or pod ranges of workers changed']
      : []),
    ...(now.workers.uninitialized > before.workers.uninitialized
      ? [`CCM3014: ${String(now.workers.uninitialized)} Nodes keep the uninitialized taint`]
      : []),
  ];
}
