import { accessObjects } from '../../activities/ccm-access.js';
import { baselineObject, baselineOf } from '../../activities/baseline.js';
import type { Inspection } from '../../activities/inspection.js';
import { manifestPath } from '../../activities/node-paths.js';
import { parseArguments, switchFlag } from '../../domain/documents/arguments.js';
import { maskEnvironment } from '../../domain/documents/mask-environment.js';
import { readManagerManifest } from '../../domain/documents/read-manifest.js';
import { yamlText } from '../../domain/documents/yaml-text.js';
import type { PreviewedStep } from '../../domain/plan/preview.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { StepEffect } from '../../domain/step.js';
import type { PlannedChange } from './drafts.js';
import { createDrafts, fileOn, objectNamed } from './drafts.js';
import type { ManagerDrawing } from './manager-changes.js';
import { drawMachine, drawManager, drawWorkload } from './manager-changes.js';

export interface ChangesInput {
  readonly steps: readonly PreviewedStep[];
  readonly inspection: Inspection;
  readonly policy: MigrationPolicy;
  readonly materials: { readonly ccmManifest: string };
}

const KUBEADM = objectNamed('ConfigMap', 'kube-system', 'kubeadm-config');
const BASELINE = objectNamed('ConfigMap', 'kube-system', 'ccm-migrate-baseline');

/** Exact changes of each step in order, drawn by the code that the run itself writes with. */
export function stepChanges(input: ChangesInput): readonly (readonly PlannedChange[])[] {
  const { inspection, policy, materials } = input;
  const drafts = createDrafts(textsOf(inspection));
  const drawing: ManagerDrawing = {
    ...{ drafts, policy, materials, kubeadm: KUBEADM },
    baseline: inspection.baseline ?? referenceManifest(inspection),
  };
  return input.steps.map((step) => draw(step, drawing).filter((change) => change !== null));
}

type Change = PlannedChange | null;

function draw(
  { step: { effect }, before }: PreviewedStep,
  drawing: ManagerDrawing,
): readonly Change[] {
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
    case 'awaitElection':
    case 'verify':
      return [];
  }
}

function deletionOf(subject: string): PlannedChange {
  return { subject, action: 'delete', diff: '', after: '' };
}

function drawBaseline(
  before: PreviewedStep['before'],
  { drafts, baseline }: ManagerDrawing,
): readonly Change[] {
  if (baseline === null) return [];
  const object = baselineObject(baselineOf(before, baseline));
  // It holds a whole manifest as one text.
  const data: Record<string, string> = {};
  for (const [key, text] of Object.entries(object.data ?? {})) data[key] = maskEnvironment(text);
  return [drafts.put(BASELINE, yamlText(object), yamlText({ ...object, data }))];
}

/** The successor lies on the node already; the step moves it into place. */
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
): readonly Change[] {
  const { drafts, policy, materials } = drawing;
  const changes = accessObjects(access, policy, usesAccountTokens(materials.ccmManifest)).map(
    (object): Change => {
      const { name, namespace } = object.metadata;
      const subject = objectNamed(object.kind, namespace, name);
      // What is there already is not read for a plan; ours is always written whole.
      if (want === 'absent')
        return drafts.put(subject, null) ?? { subject, action: 'delete', diff: '', after: '' };
      return drafts.put(subject, yamlText(object));
    },
  );
  const isDaemonSet = access === 'ccmAccess' && policy.ccm.deployAs === 'daemonSet';
  return isDaemonSet && want === 'present' ? [...changes, ...drawWorkload(drawing)] : changes;
}

function usesAccountTokens(manifest: string): boolean {
  const result = readManagerManifest(manifest);
  if (result.kind === 'invalid') return false;
  return switchFlag(
    parseArguments(result.manifest.arguments),
    'use-service-account-credentials',
    false,
  );
}

function leaseNamed({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): string {
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

/** As a run does where no baseline was recorded: a KCM that still has loops, else any. */
function referenceManifest({ look, manifests }: Inspection): string | null {
  const { nodes } = look.observation;
  const withLoops = nodes.filter(
    ({ kcm: { manifest } }) => manifest.state === 'present' && manifest.config.cloudLoops,
  );
  const [text] = [...withLoops, ...nodes].flatMap(({ name }) => manifests[name]?.kcm ?? []);
  return text ?? null;
}
