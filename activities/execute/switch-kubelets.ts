import { digestText } from '../../domain/digest.js';
import { boundedDiff } from '../../domain/yaml/redacted-diff.js';
import { failure, failureTypeOf } from '../failures.js';
import type { FencedAct } from '../fence/fenced-mutation.js';
import { fencedBatch } from '../fence/fenced-mutation.js';
import { kubeletDigest, kubeletName } from '../fence/find-effect.js';
import { KUBELET_FLAGS } from '../node-paths.js';
import { providerFlag, withCloudProvider, writtenFlag } from '../observe/kubelet-flags.js';
import type { NodeObject } from '../observe/objects.js';
import { CONTROL_PLANE_LABEL, nameOf } from '../observe/objects.js';
import { conditionOf } from '../observe/read-live.js';
import type { HostState, KubeletProcess, NodeFile } from '../ports.js';
import { hostOf } from './manager-processes.js';
import { fileWrites } from './node-file-writes.js';
import { readObject } from './object-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  observeUntil,
  note,
  policyOf,
  requestOptions,
  safePoint,
  timingsOf,
} from './step-session.js';

/**
 * Gives the workers' kubelets another cloud provider, a batch at a time: the flag in kubeadm's file, a restart, then each of
 * the batch is proven to run with it and to serve its Node before the next. Between batches the step may be interrupted.
 */
export async function switchKubelets(
  session: StepSession,
  to: 'inTree' | 'external',
  batchSize: number,
): Promise<EffectReport> {
  const provider = to === 'external' ? 'external' : policyOf(session).source.cloudProvider;
  const names = await workers(session);
  const size = Math.max(1, batchSize);
  let restarted = 0;
  for (let start = 0; start < names.length; start += size) {
    safePoint(session);
    restarted += await switchBatch(session, names.slice(start, start + size), provider);
  }
  note(session, `${String(restarted)} of ${String(names.length)} kubelets switched to ${to}`);
  return { lost: null, changed: ['inventory'] };
}

async function workers(session: StepSession): Promise<readonly string[]> {
  const { items } = await session.ports.api.list<NodeObject>(
    { apiVersion: 'v1', kind: 'Node' },
    { ...requestOptions(session), labelSelector: `!${CONTROL_PLANE_LABEL}` },
  );
  return items.map(nameOf).sort();
}

/** A worker's kubelet: current and wanted state. */
interface Switch {
  readonly wanted: WantedKubelet;
  readonly before: NodeFile;
  readonly host: HostState;
}

/** How many were restarted. Each worker's first failure is thrown after all of the batch were waited for. */
async function switchBatch(
  session: StepSession,
  names: readonly string[],
  provider: string,
): Promise<number> {
  const batch = await Promise.all(names.map((name) => seen(session, name, provider)));
  const toRestart = batch.filter(({ host }) => kubeletWith(host, provider) === null);
  // A kubelet that cannot be restarted is not written either.
  await Promise.all(toRestart.map(({ wanted }) => checkUnit(session, wanted)));
  const writes = batch.flatMap(({ wanted, before }) =>
    fileWrites(session, wanted.node, [
      {
        ...{ path: KUBELET_FLAGS, content: wanted.flags, expect: before.hash },
        diff: providerDiff(before.content, wanted.flags),
      },
    ]),
  );
  await fencedBatch(session, writes);
  await fencedBatch(
    session,
    toRestart.map(({ wanted, host }) => restartOf(session, wanted, host)),
  );
  const results = await Promise.allSettled(batch.map((each) => prove(session, each)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return toRestart.length;
}

/** Both read at one moment. A kubelet being restarted by an earlier attempt is waited for. */
async function seen(session: StepSession, node: string, provider: string): Promise<Switch> {
  const settled = await observeUntil(session, {
    what: `the kubelet of ${node} to run`,
    withinMs: Math.min(START_MS, timingsOf(session).effectMs),
    snapshot: async () => {
      const found = await snapshot(session, node);
      return found.host.kubelets.length === 1 ? found : null;
    },
  });
  const { host, file } = settled ?? (await snapshot(session, node));
  const flags = withCloudProvider(file.content, provider);
  return { host, before: file, wanted: { node, provider, flags } };
}

/** A unit as kubeadm makes it starts a kubelet that ended after 10 s. */
const START_MS = 15_000;

async function snapshot(
  session: StepSession,
  node: string,
): Promise<{ readonly host: HostState; readonly file: NodeFile }> {
  try {
    const flagsFile = { files: [KUBELET_FLAGS], directories: [] };
    const found = await session.ports.processes.snapshot(node, flagsFile, requestOptions(session));
    const file = found.files.get(KUBELET_FLAGS) ?? null;
    if (file !== null) return { host: found.host, file };
  } catch (error) {
    if (!['NotSupported', 'Conflict', 'Unreachable'].includes(failureTypeOf(error) ?? '')) {
      throw error;
    }
  }
  throw byOwnMeans(`node access does not reach ${KUBELET_FLAGS} of worker ${node}`);
}

async function checkUnit(session: StepSession, { node }: WantedKubelet): Promise<void> {
  const { environmentFiles } = await session.ports.kubelets.unit(node, requestOptions(session));
  if (environmentFiles.includes(KUBELET_FLAGS)) return;
  throw byOwnMeans(`the kubelet's unit of worker ${node} does not read ${KUBELET_FLAGS}`);
}

function byOwnMeans(why: string): Error {
  return failure(
    'NotSupported',
    `CCM4012: ${why}. Switch the workers' kubelets yourself, or set rollWorkers.enabled: false`,
  );
}

/** A kubelet that does not come up with the new flags gets its old ones back: without a kubelet its node is lost. */
async function prove(session: StepSession, { wanted, before }: Switch): Promise<void> {
  if ((await awaitKubelet(session, wanted)) !== null) return;
  const { node, provider } = wanted;
  const why = `the kubelet of ${node} was not seen to work with --cloud-provider=${provider}: ${await unitState(session, node)}`;
  const back = await putBack(session, wanted, before);
  throw failure(
    'EffectNotSeen',
    `step ${session.step}: ${why}. ${back}. See \`journalctl -u kubelet\` there, then \`ccm-migrate retry\``,
  );
}

/** For people: what became of the old flags. */
async function putBack(
  session: StepSession,
  { node, flags }: WantedKubelet,
  before: NodeFile,
): Promise<string> {
  if (before.content === flags) {
    return `${KUBELET_FLAGS} was like this before the attempt, so nothing was restored`;
  }
  const old = { node, flags: before.content, provider: writtenFlag(before.content) };
  const written = {
    ...{ path: KUBELET_FLAGS, content: old.flags, expect: digestText(flags) },
    diff: providerDiff(flags, old.flags),
  };
  await fencedBatch(session, fileWrites(session, node, [written]));
  const host = await hostOf(session, node);
  if (kubeletWith(host, old.provider) === null) {
    await fencedBatch(session, [restartOf(session, old, host)]);
  }
  return (await awaitKubelet(session, old)) === null
    ? `Its old flags are back, and it does not work with them either: ${await unitState(session, node)}`
    : 'Its old flags are back and it works with them';
}

/** Of all flags only ours: one line holds them all, and a proxy's address may hold a password. */
function providerDiff(before: string, after: string): string {
  const line = (flags: string): string => `--cloud-provider=${writtenFlag(flags)}\n`;
  return boundedDiff([{ before: line(before), after: line(after) }]);
}

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/** A kubelet that must run with a provider, and the flags file that sets it. */
interface WantedKubelet {
  readonly node: string;
  readonly provider: string;
  /** Content of the flags file. */
  readonly flags: string;
}

/**
 * Restarts the kubelet for the flags written before. The node does so only if its kubelet does not already run with them and
 * their file is as written.
 */
function restartOf(session: StepSession, wanted: WantedKubelet, host: HostState): FencedAct {
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
          epoch: session.token.epoch,
        },
        requestOptions(session),
      ),
  };
}

/** The node's one kubelet, if it runs with that provider. */
function kubeletWith({ kubelets }: HostState, provider: string): KubeletProcess | null {
  const [only] = kubelets;
  const fits = only !== undefined && kubelets.length === 1 && providerFlag(only) === provider;
  return fits ? only : null;
}

/**
 * Waits until the kubelet is proven to work: one process with the wanted provider, its Node Ready by a heartbeat of that
 * process, and initialized. Null when the time is up.
 */
async function awaitKubelet(
  session: StepSession,
  { node, provider }: WantedKubelet,
): Promise<KubeletProcess | null> {
  const kubelet = await observeUntil(session, {
    what: `the kubelet of ${node} with --cloud-provider=${provider}, and its Node Ready and initialized`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const host = await hostOf(session, node);
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
async function unitState(session: StepSession, node: string): Promise<string> {
  try {
    const { state } = await session.ports.kubelets.unit(node, requestOptions(session));
    return `its unit is ${state}`;
  } catch {
    return 'its unit could not be read';
  }
}
