import { manifestPath } from '../../activities/node-paths.js';
import { followManifest } from '../../domain/documents/cluster-configuration.js';
import { readManagerManifest } from '../../domain/documents/read-manifest.js';
import { yamlText } from '../../domain/documents/yaml-text.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { CCM_NAME, RUN_CCM_LABEL, SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { renderMachineFiles, renderManager } from '../../domain/rendering/render-manager.js';
import type { Impossible } from '../../domain/rendering/rendered.js';
import type { ManagerWant } from '../../domain/step.js';
import type { Drafts, PlannedChange } from './drafts.js';
import { fileOn, objectNamed } from './drafts.js';

/** What changes of managers are drawn from. */
export interface ManagerDrawing {
  readonly drafts: Drafts;
  readonly policy: MigrationPolicy;
  readonly materials: { readonly ccmManifest: string };
  readonly baseline: string | null;
  /** Subject of kubeadm's ClusterConfiguration. */
  readonly kubeadm: string;
}

type Change = PlannedChange | null;

/** The manager of one node: its manifest and files, or its label where it is a DaemonSet. */
export function drawManager(
  node: string,
  want: ManagerWant,
  drawing: ManagerDrawing,
): readonly Change[] {
  if (want.manager === 'ccm' && drawing.policy.ccm.deployAs === 'daemonSet') {
    const label = want.role === 'running' ? '"true"' : null;
    const changed = drawing.drafts.put(
      `Node ${node}`,
      label === null ? null : `${RUN_CCM_LABEL}: ${label}\n`,
    );
    return want.role === 'running' ? [...drawWorkload(drawing), changed] : [changed];
  }
  const { drafts, kubeadm } = drawing;
  const manifest = fileOn(node, manifestPath(want.manager));
  const rendering = renderManager({ want, current: drafts.read(manifest), ...sourceOf(drawing) });
  if (rendering.kind === 'impossible') return [cannot(manifest, rendering)];
  const files = Object.entries(rendering.files).map(([path, text]) =>
    drafts.put(fileOn(node, path), text),
  );
  const changed = drafts.put(manifest, rendering.manifest);
  return want.manager === 'kcm' && rendering.manifest !== null
    ? [...files, changed, followed(rendering.manifest, kubeadm, drafts)]
    : [...files, changed];
}

/** All files that a new machine is given. */
export function drawMachine(
  machine: string,
  side: 'source' | 'target',
  drawing: ManagerDrawing,
): readonly Change[] {
  const leaderMigration = drawing.policy.strategy === 'gap' ? 'off' : 'on';
  const rendering = renderMachineFiles({ side, leaderMigration, ...sourceOf(drawing) });
  if (rendering.kind === 'impossible') return [cannot(`machine ${machine}`, rendering)];
  const { drafts, kubeadm } = drawing;
  const files = Object.entries(rendering.files).map(([path, text]) =>
    drafts.put(fileOn(machine, path), text),
  );
  const manifest = rendering.files[manifestPath('kcm')];
  return manifest === undefined ? files : [...files, followed(manifest, kubeadm, drafts)];
}

/** The CCM's DaemonSet with the ConfigMap of its Leader Migration file. */
export function drawWorkload(drawing: ManagerDrawing): readonly Change[] {
  const { drafts, policy } = drawing;
  const subject = objectNamed('DaemonSet', SYSTEM_NAMESPACE, CCM_NAME);
  const leaderMigration = policy.strategy === 'gap' ? 'off' : 'on';
  const want = { manager: 'ccm', role: 'running', leaderMigration } as const;
  const rendering = renderManager({ want, current: null, ...sourceOf(drawing) });
  if (rendering.kind === 'impossible') return [cannot(subject, rendering)];
  const { configMap, manifest } = rendering;
  const map = configMap === null ? null : configMapChange(configMap, drafts);
  return [map, drafts.put(subject, manifest)];
}

function configMapChange(
  configMap: { readonly metadata: { readonly name: string; readonly namespace: string } },
  drafts: Drafts,
): Change {
  const { name, namespace } = configMap.metadata;
  return drafts.put(objectNamed('ConfigMap', namespace, name), yamlText(configMap));
}

function sourceOf({
  policy,
  materials,
  baseline,
}: ManagerDrawing): Pick<ManagerDrawing, 'policy' | 'materials' | 'baseline'> {
  return { policy, materials, baseline };
}

/** kubeadm's own configuration says what the manifest says, or the next upgrade would undo it. */
function followed(manifest: string, kubeadm: string, drafts: Drafts): Change {
  const [configuration, read] = [drafts.read(kubeadm), readManagerManifest(manifest)];
  if (configuration === null || read.kind === 'invalid') return null;
  const result = followManifest(configuration, read.manifest);
  return result.kind === 'invalid' ? null : drafts.put(kubeadm, result.text);
}

/** A run would stop here with the same finding. */
function cannot(subject: string, { finding }: Impossible): Change {
  return {
    subject,
    action: 'update',
    diff: `! ${finding.code} ${finding.subject}: ${finding.seen}\n`,
    after: '',
  };
}
