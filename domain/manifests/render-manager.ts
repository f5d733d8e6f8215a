import type { ManagerWant } from '../decision/step.js';
import type { Manager } from '../vocabulary.js';
import { renderCcm } from './render-ccm.js';
import { renderExternalKcm, renderInTreeKcm } from './render-kcm.js';
import type { Impossible, ManagerRendering, Rendering, RenderSource } from './rendered.js';
import { NOTHING } from './rendered.js';
import { MANIFEST_PATHS } from './paths.js';

/** A rendering, for one wanted manager. */
export interface RenderRequest extends RenderSource {
  readonly want: ManagerWant;
}

/**
 * The text of everything a manager needs to run as wanted; pure, so that a run writes exactly what the plan shows. Rendering
 * its own output changes nothing. Parked and stopped managers have no manifest.
 */
export function renderManager({ want, ...source }: RenderRequest): Rendering {
  switch (want.role) {
    case 'inTree':
      return renderInTreeKcm(source, want.leaderMigration);
    case 'external':
      return renderExternalKcm(source);
    case 'running':
      return renderCcm(source, want.leaderMigration);
    case 'parked':
    case 'stopped':
      return NOTHING;
  }
}

export interface MachineRequest extends Omit<RenderSource, 'current'> {
  readonly side: 'source' | 'target';
  /** Leader Migration in the manager that runs the cloud controllers of that side. */
  readonly leaderMigration: 'on' | 'off';
}

export type MachineFiles =
  { readonly kind: 'rendered'; readonly files: Readonly<Record<string, string>> } | Impossible;

/**
 * Files of a new control-plane machine, written before its kubelet starts. Target: external KCM, and the CCM
 * where it is a static pod (a DaemonSet is placed by label). Source: the KCM of the baseline.
 */
export function renderMachineFiles(request: MachineRequest): MachineFiles {
  const { side, leaderMigration, ...rest } = request;
  const source = { ...rest, current: null };
  if (side === 'source') return filesOf([['kcm', renderInTreeKcm(source, leaderMigration)]]);
  const kcm = ['kcm', renderExternalKcm(source)] as const;
  const ccm = ['ccm', renderCcm(source, leaderMigration)] as const;
  return filesOf(source.policy.ccm.deployAs === 'staticPod' ? [kcm, ccm] : [kcm]);
}

function filesOf(renderings: readonly (readonly [Manager, ManagerRendering])[]): MachineFiles {
  const files: Record<string, string> = {};
  for (const [manager, rendering] of renderings) {
    if (rendering.kind === 'impossible') return rendering;
    Object.assign(files, rendering.files);
    files[MANIFEST_PATHS[manager]] = rendering.manifest;
  }
  return { kind: 'rendered', files };
}
