import { digestText } from '../../domain/digest.js';
import type { FencedAct } from '../fence/fenced-mutation.js';
import { kubeletDigest, kubeletName } from '../fence/find-effect.js';
import { KUBELET_FLAGS } from '../node-paths.js';
import { providerFlag } from '../observe/kubelet-flags.js';
import type { NodeObject } from '../observe/objects.js';
import { conditionOf } from '../observe/read-quick.js';
import type { HostState, KubeletProcess } from '../ports.js';
import { readObject } from './object-writes.js';
import type { StepSession } from './step-session.js';
import { note, requestOptions, timingsOf } from './step-session.js';
import { lookUntil } from './wait-for.js';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/** A kubelet that must run with a provider, and the flags file that sets it. */
export interface WantedKubelet {
  readonly node: string;
  readonly provider: string;
  /** Content of the flags file. */
  readonly flags: string;
}

/**
 * Restarts the kubelet for the flags written before. The node does so only if its kubelet does not already run with them and
 * their file is as written.
 */
export function restartOf(session: StepSession, wanted: WantedKubelet, host: HostState): FencedAct {
  const { node, provider, flags } = wanted;
  const hash = digestText(flags);
  return {
    mutation: {
      verb: 'restartKubelet',
      object: kubeletName(node),
      before: kubeletDigest(host),
      after: hash,
    },
    act: () =>
      session.ports.kubelets.restart(
        node,
        {
          cloudProvider: provider,
          flags: { path: KUBELET_FLAGS, hash },
          epoch: session.claim.epoch,
        },
        requestOptions(session),
      ),
  };
}

/** The node's one kubelet, if it runs with that provider. */
export function kubeletWith({ kubelets }: HostState, provider: string): KubeletProcess | null {
  const [only] = kubelets;
  const fits = only !== undefined && kubelets.length === 1 && providerFlag(only) === provider;
  return fits ? only : null;
}

/**
 * Waits until the kubelet is proven to work: one process with the wanted provider, its Node Ready by a heartbeat of that
 * process, and initialized. Null when the time is up.
 */
export async function awaitKubelet(
  session: StepSession,
  { node, provider }: WantedKubelet,
): Promise<KubeletProcess | null> {
  const kubelet = await lookUntil(session, {
    what: `the kubelet of ${node} with --cloud-provider=${provider}, and its Node Ready and initialized`,
    withinMs: timingsOf(session).effectMs,
    look: async () => {
      const host = await session.ports.processes.host(node, requestOptions(session));
      const found = kubeletWith(host, provider);
      return found !== null && (await isServedBy(session, node, found)) ? found : null;
    },
  });
  if (kubelet !== null) {
    note(session, `kubelet of ${node} runs with ${provider} (pid ${String(kubelet.pid)})`);
  }
  return kubelet;
}

/** Whether that process serves its Node, and the Node is initialized. */
async function isServedBy(
  session: StepSession,
  name: string,
  kubelet: KubeletProcess,
): Promise<boolean> {
  // A Node as the API gives it, in the fields we read.
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const node: NodeObject | null = await readObject(session, ref);
  if (node === null) return false;
  const isTainted = (node.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
  return !isTainted && isReadyBy(node, kubelet);
}

/** Both times are the node's own. A heartbeat is truncated to whole seconds, so the start of the process is too. */
function isReadyBy({ status }: NodeObject, { startedAtMs }: KubeletProcess): boolean {
  const conditions = status?.conditions ?? [];
  const heartbeat = conditions.find(({ type }) => type === 'Ready')?.lastHeartbeatTime ?? '';
  const isNew = Date.parse(heartbeat) >= Math.floor(startedAtMs / 1000) * 1000;
  return isNew && conditionOf(conditions, 'Ready') === 'yes';
}

/** The unit's state, for an error message; a failure to read it must not hide the original one. */
export async function unitState(session: StepSession, node: string): Promise<string> {
  try {
    const { state } = await session.ports.kubelets.unit(node, requestOptions(session));
    return `its unit is ${state}`;
  } catch {
    return 'its unit could not be read';
  }
}
