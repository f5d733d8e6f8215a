import { digestJson } from '../../domain/digest.js';
import { MANIFEST_PATHS } from '../../domain/manifests/paths.js';
import type { Manager } from '../../domain/vocabulary.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import { boundedDiff, type TextChange } from '../../domain/yaml/redacted-diff.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import type { PodObject } from '../observe/objects.js';
import { conditionOf } from '../observe/read-live.js';
import type { CachedRead } from '../observe/cached-reads.js';
import type { Machine, Machines } from '../ports.js';
import { ensureWorkload, labelNode } from './change-daemon-set.js';
import { wordsOf } from './change-static-pod.js';
import { machineKey, machineObject, timesCarriedOut } from './machine-key.js';
import { awaitNewProcess } from './manager-processes.js';
import { followKubeadm, renderMachine, renderWanted } from './rendered-manager.js';
import type { EffectReport, StepSession } from './step-session.js';
import { note, policyOf, requestOptions, safePoint, timingsOf, waitFor } from './step-session.js';

type Files = Readonly<Record<string, string>>;

/**
 * Adds a control-plane machine with its managers' manifests already on disk: requested once, awaited until its provider
 * reports it ready (Node Ready, etcd member a voter, by contract), its managers run according to the manifests, and its etcd
 * pod, if any, is Ready.
 */
export async function addMachine(
  session: StepSession,
  name: string,
  side: 'source' | 'target',
): Promise<EffectReport> {
  const machines = machinesOf(session);
  const files = await renderMachine(session, side);
  const present = await findTwice(session, machines, name);
  safePoint(session);
  const follows = await followKubeadm(session, files[MANIFEST_PATHS.kcm] ?? '');
  // It is read again after the long wait for the machine.
  const followed: readonly CachedRead[] = follows === null ? [] : ['kubeadm'];
  if (present === null) await order(session, machines, name, side, files);
  const machine = await awaitReady(session, machines, name);
  const node = machine.node ?? name;
  note(session, `machine ${name} is ready`);
  for (const manager of MANAGERS) {
    const manifest = files[MANIFEST_PATHS[manager]];
    if (manifest !== undefined) await awaitManager(session, node, manager, manifest);
  }
  await awaitEtcdPod(session, node);
  if (side === 'target' && policyOf(session).ccm.deployAs === 'daemonSet') {
    await startByLabel(session, node);
    return { lost: null, changed: ['workload', ...followed] };
  }
  return { lost: null, changed: followed };
}

async function find(
  session: StepSession,
  machines: Machines,
  name: string,
): Promise<Machine | null> {
  const all = await machines.list(requestOptions(session));
  return all.find((machine) => machine.name === name) ?? null;
}

/**
 * One answer that leaves out a machine that this run ordered may come from a provisioner that has just started; two in a row show
 * that it was deleted, and must be ordered again.
 */
async function findTwice(
  session: StepSession,
  machines: Machines,
  name: string,
): Promise<Machine | null> {
  const present = await find(session, machines, name);
  if (present !== null) return present;
  if ((await timesCarriedOut(session, { verb: 'addMachine', machine: name })) === 0) return null;
  await session.clock.sleep(timingsOf(session).pollMs, session.scope.signal);
  return find(session, machines, name);
}

async function order(
  session: StepSession,
  machines: Machines,
  name: string,
  side: 'source' | 'target',
  files: Files,
): Promise<void> {
  const { version } = side === 'source' ? policyOf(session).source : policyOf(session).target;
  const content = { side, version, files };
  const key = await machineKey(session, { verb: 'addMachine', machine: name, content });
  const guard = { epoch: session.token.epoch, idempotencyKey: key };
  await fencedMutation(
    session,
    {
      ...{ verb: 'addMachine', object: machineObject(name), before: '', after: digestJson(files) },
      diff: boundedDiff(filesOfMachine(files)),
    },
    () => machines.add({ name, ...content }, guard, requestOptions(session)),
  );
  note(session, `machine ${name} requested`);
}

/** Each file below its path. */
function filesOfMachine(files: Files): readonly TextChange[] {
  return Object.entries(files).map(([path, text]) => ({
    before: null,
    after: `# ${path}\n${text}`,
  }));
}

async function awaitReady(
  session: StepSession,
  machines: Machines,
  name: string,
): Promise<Machine> {
  return waitFor(session, {
    what: `machine ${name} to become ready`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const machine = await find(session, machines, name);
      if (machine?.state === 'failed' || machine?.state === 'deleting') {
        throw failure(
          'EffectNotSeen',
          `machine ${name} is ${machine.state}: ${machine.reason}. Remove it at its provider, then \`ccm-migrate retry\``,
        );
      }
      return machine?.state === 'ready' ? machine : null;
    },
  });
}

/**
 * A kubelet reports etcd's pod Ready only after its startup probe: at the earliest 10 s after its start where kubeadm wrote
 * it, long after the member became a voter. Until then no other machine may be removed.
 */
async function awaitEtcdPod(session: StepSession, node: string): Promise<void> {
  if (session.before.etcd.topology !== 'stacked') return;
  await waitFor(session, {
    what: `the etcd pod of ${node} to be Ready`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const { items } = await session.ports.api.list<PodObject>(
        { apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system' },
        { ...requestOptions(session), labelSelector: 'component in (etcd)' },
      );
      const pod = items.find(({ spec }) => spec?.nodeName === node);
      return conditionOf(pod?.status?.conditions, 'Ready') === 'yes' ? true : null;
    },
  });
}

async function awaitManager(
  session: StepSession,
  node: string,
  manager: Manager,
  manifest: string,
): Promise<void> {
  const words = wordsOf(manifest);
  await awaitNewProcess(session, { node, manager, words, oldPids: new Set() });
}

async function startByLabel(session: StepSession, node: string): Promise<void> {
  const leaderMigration = policyOf(session).strategy === 'gap' ? 'off' : 'on';
  const want = { manager: 'ccm', role: 'running', leaderMigration } as const;
  const wanted = await renderWanted(session, want, null);
  await ensureWorkload(session, wanted);
  await labelNode(session, node, true);
  await awaitManager(session, node, 'ccm', wanted.manifest);
}

/** The provider of machines; a cluster without one can only be changed in place. */
export function machinesOf({ ports, step }: StepSession): Machines {
  if (ports.machines !== null) return ports.machines;
  throw failure(
    'NotSupported',
    `step ${step} needs a machines API and the inventory names none for this cluster. ` +
      'Configure machinesApi, or choose nodes.forward: inPlace',
  );
}
