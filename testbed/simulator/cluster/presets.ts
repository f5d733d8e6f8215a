import type { KubeletCloudProvider } from '../kubelets/node-object.js';
import type { ManagerPlan, NodePlan, PresetName } from './cluster-spec.js';

export interface PresetInput {
  readonly nodes: number;
  readonly version: string;
  readonly cloudProvider: string;
  readonly kubelet: KubeletCloudProvider;
}

type Maker = (input: PresetInput, index: number) => NodePlan;

/** Long enough for managers that start immediately to acquire their locks. */
const LATER_MS = 8000;

const MAKERS: Readonly<Record<PresetName, Maker>> = {
  'in-tree': (input) => node(input, manager(input, 'off'), null),
  'guide-130': (input) => node(input, manager(input, 'guide'), manager(input, 'guide')),
  'ccm-without-lm': (input, index) =>
    node(input, manager(input, 'off'), index === 0 ? manager(input, 'off') : null),
  'external-kcm-with-lm': (input) => ({
    ...migrated(input, 'canonical'),
    afterMs: { ccm: LATER_MS },
  }),
  'stopped-half-way': (input, index) =>
    index === 0
      ? { ...migrated(input, 'off'), afterMs: { kcm: LATER_MS, ccm: LATER_MS } }
      : node(input, manager(input, 'canonical'), null),
  migrated: (input) => migrated(input, 'off'),
};

export function presetPlans(name: PresetName, input: PresetInput): readonly NodePlan[] {
  return Array.from({ length: input.nodes }, (_, index) => MAKERS[name](input, index));
}

function node(input: PresetInput, kcmPlan: ManagerPlan, ccmPlan: ManagerPlan | null): NodePlan {
  return { kcm: kcmPlan, ccm: ccmPlan, kubelet: input.kubelet, kubeletVersion: input.version };
}

/** An external KCM beside a CCM with Leader Migration. */
function migrated(input: PresetInput, ofKcm: ManagerPlan['migration']): NodePlan {
  const kcm = { ...manager(input, ofKcm), cloudProvider: 'external' };
  return { ...node(input, kcm, manager(input, 'canonical')), kubelet: 'external' };
}

function manager(
  { version, cloudProvider }: PresetInput,
  migration: ManagerPlan['migration'],
): ManagerPlan {
  return { version, cloudProvider, migration };
}
