import type { ManagerWant, ReleaseSequence } from '../../domain/decision/step.js';
import { digestText } from '../../domain/digest.js';
import { CCM_NAME, RUN_CCM_LABEL, SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { failure } from '../failures.js';
import { CONTENT_NOTE } from '../object-digest.js';
import type { NodeObject, PodObject } from '../observe/objects.js';
import type { ObjectRef } from '../ports.js';
import { wordsOf } from './change-static-pod.js';
import { awaitNewProcess, awaitProcessGone, hostOf, newProcessOn } from './manager-processes.js';
import type { NamedObject } from './object-writes.js';
import { ensureObject, patchObject, readObject, removeObject } from './object-writes.js';
import { releaseEnded } from './release-leases.js';
import type { WantedManager } from './rendered-manager.js';
import { renderWanted } from './rendered-manager.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  NO_OWNERSHIP_LOSS,
  note,
  requestOptions,
  safePoint,
  timingsOf,
  waitFor,
} from './step-session.js';

type CcmWant = Extract<ManagerWant, { manager: 'ccm' }>;

/**
 * The CCM as a DaemonSet that runs where our label is, replaced only when we delete its pod (OnDelete). Starting labels the
 * node; a changed setting changes the template and then replaces the pod of this node; stopping removes the label.
 */
export async function changeDaemonSet(
  session: StepSession,
  node: ControlPlaneNode,
  want: CcmWant,
  release: ReleaseSequence,
): Promise<EffectReport> {
  if (want.role === 'stopped') return stopOnNode(session, node, release);
  const wanted = await renderWanted(session, want, null);
  await ensureWorkload(session, wanted);
  safePoint(session);
  const words = wordsOf(wanted.manifest);
  const host = await hostOf(session, node.name);
  const running = host.processes.filter(({ manager }) => manager === 'ccm');
  const target = { node: node.name, manager: 'ccm', words, oldPids: new Set<number>() } as const;
  await labelNode(session, node.name, true);
  if (running.length > 0 && newProcessOn(host, target) !== null) return WORKLOAD_CHANGED;
  const report =
    running.length === 0 ? NO_OWNERSHIP_LOSS : await replacePod(session, node, release);
  await awaitNewProcess(session, { ...target, oldPids: new Set(running.map(({ pid }) => pid)) });
  return { ...WORKLOAD_CHANGED, lost: report.lost };
}

const WORKLOAD_CHANGED: EffectReport = { lost: null, changed: ['workload'] };

/** Creates or updates the workload. This starts nothing: no node has the label, and pods stay until deleted. */
export async function ensureWorkload(session: StepSession, wanted: WantedManager): Promise<void> {
  if (wanted.configMap !== null) await ensureObject(session, wanted.configMap);
  const [document] = parseYamlDocuments(wanted.manifest).documents;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own rendering, read back by the same strict parser
  const daemonSet = document?.value as NamedObject;
  const { annotations = {} } = daemonSet.metadata;
  await ensureObject(session, {
    ...daemonSet,
    metadata: {
      ...daemonSet.metadata,
      annotations: { ...annotations, [CONTENT_NOTE]: digestText(wanted.manifest) },
    },
  });
}

async function stopOnNode(
  session: StepSession,
  node: ControlPlaneNode,
  release: ReleaseSequence,
): Promise<EffectReport> {
  safePoint(session);
  await labelNode(session, node.name, false);
  const host = await awaitProcessGone(session, node.name, 'ccm');
  const { lost } = await releaseEnded(session, node, 'ccm', host, release);
  return { ...WORKLOAD_CHANGED, lost };
}

/**
 * Deletes the pod of an older template; the DaemonSet controller creates the new one, so only the end of the old
 * process is awaited.
 */
async function replacePod(
  session: StepSession,
  node: ControlPlaneNode,
  release: ReleaseSequence,
): Promise<EffectReport> {
  const pod = await podOn(session, node.name);
  const before = await hostOf(session, node.name);
  const pids = before.processes.filter(({ manager }) => manager === 'ccm').map(({ pid }) => pid);
  if (pod !== null) await removeObject(session, podRef(pod), pod);
  const host = await waitFor(session, {
    what: `the end of the old ccm process on ${node.name}`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const state = await hostOf(session, node.name);
      return state.processes.some(({ pid }) => pids.includes(pid)) ? null : state;
    },
  });
  return releaseEnded(session, node, 'ccm', host, release);
}

async function podOn(session: StepSession, node: string): Promise<PodObject | null> {
  const { items } = await session.ports.api.list<PodObject>(
    { apiVersion: 'v1', kind: 'Pod', namespace: SYSTEM_NAMESPACE },
    { ...requestOptions(session), labelSelector: `component=${CCM_NAME}` },
  );
  const pod = items.find(({ spec }) => spec?.nodeName === node);
  return pod === undefined ? null : { ...pod, apiVersion: 'v1', kind: 'Pod' };
}

function podRef({ metadata }: PodObject): ObjectRef {
  const name = metadata?.name ?? '';
  return { apiVersion: 'v1', kind: 'Pod', namespace: SYSTEM_NAMESPACE, name };
}

/** Sets or removes the label that lets the CCM run on a node. */
export async function labelNode(session: StepSession, name: string, run: boolean): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  // A Node as the API gives it, in the fields we read.
  const node: NodeObject | null = await readObject(session, ref);
  if (node === null) throw failure('PreconditionFailed', `node ${name} does not exist`);
  const { [RUN_CCM_LABEL]: present, ...others } = node.metadata?.labels ?? {};
  if ((present === 'true') === run && (run || present === undefined)) return;
  const labels = run ? { ...others, [RUN_CCM_LABEL]: 'true' } : others;
  await patchObject(
    session,
    ref,
    node,
    { metadata: { labels: { [RUN_CCM_LABEL]: run ? 'true' : null } } },
    { ...node, metadata: { ...node.metadata, labels } },
  );
  note(session, run ? `CCM allowed on ${name}` : `CCM removed from ${name}`);
}
