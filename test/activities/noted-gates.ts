import type { ApiObject } from '../../activities/ports.js';
import { FENCE } from '../../activities/fence/fence-record.js';
import type { Environment } from './environment.js';

/** An annotation of the fence, without our prefix; empty where it is absent. */
export async function fenceNote({ ports }: Environment, name: string): Promise<string> {
  const fence = await ports.api.get(FENCE);
  return fence?.object.metadata?.annotations?.[`ccm-migrate.dev/${name}`] ?? '';
}

/** Virtual time until something is so, in ms. Throws with the gates that the fence notes when it takes longer. */
export async function passedUntil(
  environment: Environment,
  isSo: () => Promise<boolean>,
  atMostMs: number,
): Promise<number> {
  const { clock } = environment;
  const began = clock.nowMs();
  while (!(await isSo())) {
    if (clock.nowMs() - began > atMostMs) throw new Error(await fenceNote(environment, 'gates'));
    await clock.sleep(1_000);
  }
  return clock.nowMs() - began;
}

/** A Service in `default` that needs a load balancer. */
export function balancedService(name: string): ApiObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'default', name } },
    ...{ spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 80 }] } },
  };
}
