import { failure, failureTypeOf } from '../failures.js';
import { KUBELET_FLAGS } from '../node-paths.js';
import { withCloudProvider } from '../observe/kubelet-flags.js';
import type { NodeObject } from '../observe/objects.js';
import { CONTROL_PLANE_LABEL } from '../observe/objects.js';
import { nameOf } from '../observe/objects.js';
import { conditionOf } from '../observe/read-quick.js';
import type { NodeFile } from '../ports.js';
import { readNodeFile, writeNodeFile } from './node-file-writes.js';
import { readObject } from './object-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { note, policyOf, requestOptions, safePoint, timingsOf } from './step-session.js';
import { waitFor } from './wait-for.js';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/**
 * Gives the workers' kubelets another cloud provider, a batch at a time: the flag in kubeadm's file, then each Node of
 * the batch must be Ready and initialized before the next. Between batches the step may be cut off.
 */
export async function switchKubelets(
  session: StepSession,
  to: 'inTree' | 'external',
  batchSize: number,
): Promise<EffectReport> {
  const provider = to === 'external' ? 'external' : policyOf(session).source.cloudProvider;
  const names = await workers(session);
  const size = Math.max(1, batchSize);
  let changed = 0;
  for (let start = 0; start < names.length; start += size) {
    safePoint(session);
    const batch = names.slice(start, start + size);
    const written = await Promise.all(batch.map((name) => switchOne(session, name, provider)));
    changed += written.filter((wrote) => wrote).length;
    for (const name of batch) await awaitInitialized(session, name);
  }
  note(session, `${String(changed)} of ${String(names.length)} kubelets switched to ${to}`);
  return { lost: null, changed: ['inventory'] };
}

async function workers(session: StepSession): Promise<readonly string[]> {
  const { items } = await session.ports.api.list<NodeObject>(
    { apiVersion: 'v1', kind: 'Node' },
    { ...requestOptions(session), labelSelector: `!${CONTROL_PLANE_LABEL}` },
  );
  return items.map(nameOf).sort();
}

async function switchOne(session: StepSession, name: string, provider: string): Promise<boolean> {
  const file = await flagsOf(session, name);
  const wanted = withCloudProvider(file.content, provider);
  if (wanted === file.content) return false;
  await writeNodeFile(session, name, KUBELET_FLAGS, wanted, file.hash);
  return true;
}

async function flagsOf(session: StepSession, name: string): Promise<NodeFile> {
  try {
    const file = await readNodeFile(session, name, KUBELET_FLAGS);
    if (file !== null) return file;
  } catch (error) {
    if (!['NotSupported', 'Conflict', 'Unreachable'].includes(failureTypeOf(error) ?? '')) {
      throw error;
    }
  }
  throw failure(
    'NotSupported',
    `CCM4012: node access does not reach ${KUBELET_FLAGS} of worker ${name}. Switch the workers' kubelets by your own ` +
      'means, or set rollWorkers.enabled: false',
  );
}

async function awaitInitialized(session: StepSession, name: string): Promise<void> {
  await waitFor(session, {
    what: `Node ${name} to be Ready and initialized`,
    withinMs: timingsOf(session).effectMs,
    look: async () => {
      const ref = { apiVersion: 'v1', kind: 'Node', name };
      // A Node as the API gives it, in the fields we read.
      const node: NodeObject | null = await readObject(session, ref);
      const ready = conditionOf(node?.status?.conditions, 'Ready') === 'yes';
      const tainted = (node?.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED);
      return ready && !tainted ? true : null;
    },
  });
}
