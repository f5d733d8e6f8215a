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
  'in-tree': (input) => node(input, kcm(input, 'off'), null),
  'guide-130': (input) => node(input, kcm(input, 'guide'), ccm(input, 'guide')),
  'ccm-without-lm': (input, index) =>
    node(input, kcm(input, 'off'), index === 0 ? ccm(input, 'off') : null),
  'external-kcm-with-lm': (input) => ({
    ...node(
      input,
      { ...kcm(input, 'canonical'), cloudProvider: 'external' },
      ccm(input, 'canonical'),
    ),
    kubelet: 'external',
    afterMs: { ccm: LATER_MS },
  }),
  'stopped-half-way': (input, index) =>
    index === 0
      ? {
          ...node(input, external(input), ccm(input, 'canonical')),
          kubelet: 'external',
          afterMs: { kcm: LATER_MS, ccm: LATER_MS },
        }
      : node(input, kcm(input, 'canonical'), null),
  migrated: (input) => ({
    ...node(input, external(input), ccm(input, 'canonical')),
    kubelet: 'external',
  }),
};

export function presetPlans(name: PresetName, input: PresetInput): readonly NodePlan[] {
  return Array.from({ length: input.nodes }, (_, index) => MAKERS[name](input, index));
}

function node(input: PresetInput, kcmPlan: ManagerPlan, ccmPlan: ManagerPlan | null): NodePlan {
  return { kcm: kcmPlan, ccm: ccmPlan, kubelet: input.kubelet, kubeletVersion: input.version };
}

function kcm(
  { version, cloudProvider }: PresetInput,
  migration: ManagerPlan['migration'],
): ManagerPlan {
  return { version, cloudProvider, migration };
}

function external({ version }: PresetInput): ManagerPlan {
  return { version, cloudProvider: 'external', migration: 'off' };
}

function ccm(
  { version, cloudProvider }: PresetInput,
  migration: ManagerPlan['migration'],
): ManagerPlan {
  return { version, cloudProvider, migration };
}
