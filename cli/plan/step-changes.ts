import { usesAccountTokens, writtenAccess } from '../../activities/ccm-access.js';
import type { Inspection } from '../../activities/inspection.js';
import { manifestPath } from '../../activities/node-paths.js';
import { baselineObject, baselineOf } from '../../activities/observe/baseline.js';
import type { ManagerWant, StepEffect } from '../../domain/decision/step.js';
import { followManifest } from '../../domain/manifests/cluster-configuration.js';
import { readManagerManifest } from '../../domain/manifests/manifest.js';
import { CCM_NAME, RUN_CCM_LABEL, SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import { renderMachineFiles, renderManager } from '../../domain/manifests/render-manager.js';
import type { Impossible } from '../../domain/manifests/rendered.js';
import type { PreviewedStep } from '../../domain/model/plan-preview.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { LeaseRef } from '../../domain/vocabulary.js';
import { maskEnvironment } from '../../domain/yaml/mask-environment.js';
import { yamlText } from '../../domain/yaml/yaml-edit.js';
import type { WorkingCopies, PlannedChange } from './working-copies.js';
import { createWorkingCopies, fileOn, objectNamed } from './working-copies.js';

export interface ChangesInput {
  readonly steps: readonly PreviewedStep[];
  readonly inspection: Inspection;
  readonly policy: MigrationPolicy;
  readonly materials: { readonly ccmManifest: string };
}

const KUBEADM = objectNamed('ConfigMap', 'kube-system', 'kubeadm-config');
const BASELINE = objectNamed('ConfigMap', 'kube-system', 'ccm-migrate-baseline');

/** Exact changes of each step in order, rendered by the code that the run itself writes with. */
export function stepChanges(input: ChangesInput): readonly (readonly PlannedChange[])[] {
  const { inspection, policy, materials } = input;
  const workingCopies = createWorkingCopies(textsOf(inspection));
  const drawing: ManagerDrawing = {
    ...{ workingCopies, policy, materials, kubeadm: KUBEADM },
    baseline: inspection.baseline ?? referenceManifest(inspection),
  };
  return input.steps.map((step) => draw(step, drawing).filter((change) => change !== null));
}

type ChangeOrNone = PlannedChange | null;

function draw(
  { step: { effect }, before }: PreviewedStep,
  drawing: ManagerDrawing,
): readonly ChangeOrNone[] {
  switch (effect.kind) {
    case 'recordBaseline':
      return drawBaseline(before, drawing);
    case 'setAccess':
      return drawAccess(effect, drawing);
    case 'changeManager':
      return drawManager(effect.node, effect.want, drawing);
    case 'addMachine':
      return drawMachine(effect.machine, effect.side, drawing);
    case 'removeMachine':
      return [deletionOf(`machine ${effect.node}`)];
    case 'switchKubelets':
      return [drawKubelets(effect.to, before, drawing.policy)];
    case 'releaseLease':
      return [drawRelease(effect)];
    case 'deleteMigrationLease':
      return [deletionOf(leaseNamed(drawing.policy.lock))];
    case 'removeCcmWorkload':
      return [deletionOf(objectNamed('DaemonSet', 'kube-system', before.ccmWorkload.name))];
    case 'finishManifest':
      return [drawSuccessor(effect)];
    case 'endPausedManager':
      return [deletionOf(`paused process of the ${effect.manager} on ${effect.node}`)];
    case 'awaitElection':
    case 'verify':
    case 'probeBalancer':
      return [];
  }
}

function deletionOf(subject: string): PlannedChange {
  return { subject, action: 'delete', diff: '', after: '' };
}

function drawBaseline(
  before: PreviewedStep['before'],
  { workingCopies, baseline }: ManagerDrawing,
): readonly ChangeOrNone[] {
  if (baseline === null) return [];
  const object = baselineObject(baselineOf(before, baseline));
  // It contains a whole manifest as one string.
  const data: Record<string, string> = {};
  for (const [key, text] of Object.entries(object.data ?? {})) data[key] = maskEnvironment(text);
  return [workingCopies.put(BASELINE, yamlText(object), yamlText({ ...object, data }))];
}

/** The successor is already on the node; the step moves it into place. */
function drawSuccessor({ node, manager }: EffectOf<'finishManifest'>): PlannedChange {
  return { subject: fileOn(node, manifestPath(manager)), action: 'create', diff: '', after: '' };
}

function drawRelease({ lease, holder }: EffectOf<'releaseLease'>): PlannedChange {
  const diff = `-holderIdentity: ${holder}\n+holderIdentity: ""\n`;
  return { subject: leaseNamed(lease), action: 'update', diff, after: '' };
}

function drawKubelets(
  to: 'inTree' | 'external',
  { inventory }: PreviewedStep['before'],
  { source }: MigrationPolicy,
): PlannedChange {
  const external = '--cloud-provider=external\n';
  const inTree = `--cloud-provider=${source.cloudProvider}\n`;
  return {
    subject: `kubelets of ${String(inventory.workers.total)} workers`,
    action: 'update',
    diff: to === 'external' ? `-${inTree}+${external}` : `-${external}+${inTree}`,
    after: '',
  };
}

type EffectOf<K extends StepEffect['kind']> = Extract<StepEffect, { kind: K }>;

function drawAccess(
  { access, want }: EffectOf<'setAccess'>,
  drawing: ManagerDrawing,
): readonly ChangeOrNone[] {
  const { workingCopies, policy, materials } = drawing;
  const objects = writtenAccess(access, policy, usesAccountTokens(materials.ccmManifest));
  const changes = objects.map((object): ChangeOrNone => {
    const { name, namespace } = object.metadata;
    const subject = objectNamed(object.kind, namespace, name);
    // A plan does not read what is already there; ours is always written whole.
    if (want === 'absent')
      return workingCopies.put(subject, null) ?? { subject, action: 'delete', diff: '', after: '' };
    return workingCopies.put(subject, yamlText(object));
  });
  const isDaemonSet = access === 'ccmAccess' && policy.ccm.deployAs === 'daemonSet';
  return isDaemonSet && want === 'present' ? [...changes, ...drawWorkload(drawing)] : changes;
}

function leaseNamed({ namespace, name }: LeaseRef): string {
  return objectNamed('Lease', namespace, name);
}

function textsOf(inspection: Inspection): ReadonlyMap<string, string> {
  const { manifests, clusterConfiguration, baseline } = inspection;
  const texts = new Map<string, string>();
  for (const [node, { kcm, ccm }] of Object.entries(manifests)) {
    if (kcm !== undefined) texts.set(fileOn(node, manifestPath('kcm')), kcm);
    if (ccm !== undefined) texts.set(fileOn(node, manifestPath('ccm')), ccm);
  }
  if (clusterConfiguration !== null) texts.set(KUBEADM, clusterConfiguration);
  if (baseline !== null) texts.set(BASELINE, baseline);
  return texts;
}

/** The same choice as in a run without a recorded baseline: a KCM that still has cloud loops, otherwise any. */
function referenceManifest({ snapshot, manifests }: Inspection): string | null {
  const { nodes } = snapshot.observation;
  const withLoops = nodes.filter(
    ({ kcm: { manifest } }) => manifest.state === 'present' && manifest.config.cloudLoops,
  );
  const [text] = [...withLoops, ...nodes].flatMap(({ name }) => manifests[name]?.kcm ?? []);
  return text ?? null;
}

/** Input for rendering the changes of managers. */
interface ManagerDrawing {
  readonly workingCopies: WorkingCopies;
  readonly policy: MigrationPolicy;
  readonly materials: { readonly ccmManifest: string };
  readonly baseline: string | null;
  /** Subject of kubeadm's ClusterConfiguration. */
  readonly kubeadm: string;
}

/** The manager of one node: its manifest and files, or its label where it runs as a DaemonSet. */
function drawManager(
  node: string,
  want: ManagerWant,
  drawing: ManagerDrawing,
): readonly ChangeOrNone[] {
  if (want.manager === 'ccm' && drawing.policy.ccm.deployAs === 'daemonSet') {
    const label = want.role === 'running' ? '"true"' : null;
    const changed = drawing.workingCopies.put(
      `Node ${node}`,
      label === null ? null : `${RUN_CCM_LABEL}: ${label}\n`,
    );
    return want.role === 'running' ? [...drawWorkload(drawing), changed] : [changed];
  }
  const { workingCopies, kubeadm } = drawing;
  const manifest = fileOn(node, manifestPath(want.manager));
  const rendering = renderManager({
    want,
    current: workingCopies.read(manifest),
    ...sourceOf(drawing),
  });
  if (rendering.kind === 'impossible') return [cannot(manifest, rendering)];
  const files = Object.entries(rendering.files).map(([path, text]) =>
    workingCopies.put(fileOn(node, path), text),
  );
  const changed = workingCopies.put(manifest, rendering.manifest);
  return want.manager === 'kcm' && rendering.manifest !== null
    ? [...files, changed, followed(rendering.manifest, kubeadm, workingCopies)]
    : [...files, changed];
}

/** All files for a new machine. */
function drawMachine(
  machine: string,
  side: 'source' | 'target',
  drawing: ManagerDrawing,
): readonly ChangeOrNone[] {
  const leaderMigration = drawing.policy.strategy === 'gap' ? 'off' : 'on';
  const rendering = renderMachineFiles({ side, leaderMigration, ...sourceOf(drawing) });
  if (rendering.kind === 'impossible') return [cannot(`machine ${machine}`, rendering)];
  const { workingCopies, kubeadm } = drawing;
  const files = Object.entries(rendering.files).map(([path, text]) =>
    workingCopies.put(fileOn(machine, path), text),
  );
  const manifest = rendering.files[manifestPath('kcm')];
  return manifest === undefined ? files : [...files, followed(manifest, kubeadm, workingCopies)];
}

/** The CCM's DaemonSet with the ConfigMap of its Leader Migration file. */
function drawWorkload(drawing: ManagerDrawing): readonly ChangeOrNone[] {
  const { workingCopies, policy } = drawing;
  const subject = objectNamed('DaemonSet', SYSTEM_NAMESPACE, CCM_NAME);
  const leaderMigration = policy.strategy === 'gap' ? 'off' : 'on';
  const want = { manager: 'ccm', role: 'running', leaderMigration } as const;
  const rendering = renderManager({ want, current: null, ...sourceOf(drawing) });
  if (rendering.kind === 'impossible') return [cannot(subject, rendering)];
  const { configMap, manifest } = rendering;
  const map = configMap === null ? null : configMapChange(configMap, workingCopies);
  return [map, workingCopies.put(subject, manifest)];
}

function configMapChange(
  configMap: { readonly metadata: { readonly name: string; readonly namespace: string } },
  workingCopies: WorkingCopies,
): ChangeOrNone {
  const { name, namespace } = configMap.metadata;
  return workingCopies.put(objectNamed('ConfigMap', namespace, name), yamlText(configMap));
}

function sourceOf({
  policy,
  materials,
  baseline,
}: ManagerDrawing): Pick<ManagerDrawing, 'policy' | 'materials' | 'baseline'> {
  return { policy, materials, baseline };
}

/** kubeadm's own configuration has to match the manifest, or the next upgrade reverts it. */
function followed(manifest: string, kubeadm: string, workingCopies: WorkingCopies): ChangeOrNone {
  const [configuration, read] = [workingCopies.read(kubeadm), readManagerManifest(manifest)];
  if (configuration === null || read.kind === 'invalid') return null;
  const result = followManifest(configuration, read.manifest);
  return result.kind === 'invalid' ? null : workingCopies.put(kubeadm, result.text);
}

/** A run stops here with the same finding. */
function cannot(subject: string, { finding }: Impossible): ChangeOrNone {
  return {
    subject,
    action: 'update',
    diff: `! ${finding.code} ${finding.subject}: ${finding.seen}\n`,
    after: '',
  };
}
