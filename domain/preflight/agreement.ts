import {
  contradictions,
  controllerDifferences,
  disagreement,
} from '../managers/controller-list.js';
import { hasCloudLoops, hasOtherConfiguration } from '../managers/in-tree-providers.js';
import { minorOf } from '../managers/minors.js';
import { COMPONENTS } from '../managers/controller-names.js';
import { listFlag, parseArguments } from '../managers/arguments.js';
import { readManagerManifest } from '../manifests/manifest.js';
import type { Finding } from '../findings/finding.js';
import type { FindingCode } from '../findings/catalogue.js';
import type { ManagerConfig } from '../observation/observation.js';
import type { CloudController } from '../vocabulary.js';
import type { Check, PlacedConfig, PreflightInput } from './preflight-check.js';
import {
  checkManagers,
  checkOf,
  everyManager,
  forEach,
  foundAt,
  isInTree,
  NO_FINDINGS,
  referenceKcm,
} from './preflight-check.js';

/** CCM1004 and CCM13xx: settings that must be the same on both sides. */
export const AGREEMENT_CHECKS: readonly Check[] = [
  {
    name: 'equal lease timings',
    codes: ['CCM1004'],
    inspect: (input) => {
      const kcm = referenceKcm(input);
      if (kcm === null) return NO_FINDINGS;
      const wanted = electionOf(kcm);
      const { ccm } = input.policy;
      const planned = electionOf(ccm);
      return [
        ...forEach(input.managers, 'CCM1004', (config) => differs(electionOf(config), wanted)),
        ...foundAt('CCM1004', 'policy.ccm', differs(planned, wanted)),
      ];
    },
  },
  agreesWithKcm('equal cluster names', 'CCM1301', ({ clusterName }) => clusterName),
  agreesWithKcm('equal pod ranges', 'CCM1302', ({ clusterCidr }) => clusterCidr),
  agreesWithKcm('equal route state', 'CCM1303', ({ routes }) => (routes ? 'on' : 'off')),
  checkOf('routes have a pod range', 'CCM1304', 'kube-controller-manager', (input) => {
    const kcm = referenceKcm(input);
    if (kcm === null || !kcm.routes || isRange(kcm.clusterCidr)) return null;
    return `--cluster-cidr=${kcm.clusterCidr}`;
  }),
  {
    name: 'equal cloud configuration',
    codes: ['CCM1305'],
    inspect: (input) => {
      const kcm = referenceKcm(input);
      if (kcm === null || !isHash(kcm.cloudConfigHash)) return NO_FINDINGS;
      if (hasOtherConfiguration(kcm.cloudProvider)) return NO_FINDINGS;
      return forEach(ccms(input), 'CCM1305', ({ cloudConfigHash }) =>
        isHash(cloudConfigHash) ? differs(cloudConfigHash, kcm.cloudConfigHash) : null,
      );
    },
  },
  checkManagers(
    'node IPAM without a provider',
    'CCM1306',
    everyManager,
    ({ manager, cidrAllocator }, { policy: { lock } }) => {
      if (lock.controllers.includes('nodeipam') || manager !== 'kcm') return null;
      return cidrAllocator === undefined ? null : `--cidr-allocator-type=${cidrAllocator}`;
    },
  ),
  {
    name: 'KCMs alike',
    codes: ['CCM1307'],
    inspect: ({ managers }) => {
      const inTree = managers.filter(isInTree);
      return ALIKE.flatMap(([what, of]) => {
        const seen = [...new Set(inTree.map(({ config }) => of(config)))];
        const words = seen.length < 2 ? null : `${what}: ${seen.join(' and ')}`;
        return foundAt('CCM1307', 'kube-controller-manager', words);
      });
    },
  },
  {
    name: 'equal lists of controllers',
    codes: ['CCM1308'],
    inspect: (input) => [
      ...forEach(
        input.managers.filter(isSwitchedOff),
        'CCM1308',
        ({ controllers }) => `--controllers=${controllers} leaves no cloud controller to migrate`,
      ),
      ...otherLists(input),
    ],
  },
  checkManagers('CCMs on one main lock', 'CCM1309', ccms, ({ mainLock }, input) => {
    const namespace = referenceKcm(input)?.mainLock.namespace ?? input.policy.lock.namespace;
    const ours = `${namespace}/${COMPONENTS.ccm}`;
    const seen = `${mainLock.namespace}/${mainLock.name}`;
    return seen === ours ? null : `main lock ${seen}, ours is ${ours}`;
  }),
];

/** A KCM with an in-tree provider that starts none of its controllers. */
function isSwitchedOff({ manager, config }: PlacedConfig): boolean {
  const { cloudLoops, cloudProvider, version } = config;
  return manager === 'kcm' && !cloudLoops && hasCloudLoops(cloudProvider, minorOf(version) ?? 0);
}

function otherLists(input: PreflightInput): readonly Finding[] {
  const kcm = referenceKcm(input);
  if (kcm === null) return NO_FINDINGS;
  const inForce = [...input.managers.filter(isInTree), ...ccms(input)];
  const own = givenList(input.extra.ccmManifest);
  const wrong = contradictions(own, kcm, input.policy.lock.controllers);
  return [
    ...forEach(inForce, 'CCM1308', ({ controllers }) =>
      words(controllers, kcm, controllerDifferences(controllers, kcm.controllers)),
    ),
    ...foundAt('CCM1308', 'cloud-controller-manager manifest', words(own, kcm, wrong)),
  ];
}

function words(
  own: string,
  { controllers }: ManagerConfig,
  wrong: readonly CloudController[],
): string | null {
  return wrong.length === 0 ? null : disagreement(own, controllers, wrong);
}

/** Unreadable settings are reported by another check. */
function givenList(ccmManifest = ''): string {
  const result = readManagerManifest(ccmManifest);
  return result.kind === 'invalid'
    ? ''
    : listFlag(parseArguments(result.manifest.arguments), 'controllers');
}

const ALIKE: readonly (readonly [string, (config: ManagerConfig) => string])[] = [
  ['main lock', ({ mainLock }) => `${mainLock.namespace}/${mainLock.name}`],
  ['--cluster-name', ({ clusterName }) => clusterName],
  ['--cluster-cidr', ({ clusterCidr }) => clusterCidr],
  ['routes', ({ routes }) => (routes ? 'on' : 'off')],
  ['--controllers', ({ controllers }) => controllers],
  ['--cloud-config', ({ cloudConfigHash }) => cloudConfigHash],
];

function agreesWithKcm(
  name: string,
  code: FindingCode,
  of: (config: ManagerConfig) => string,
): Check {
  return checkManagers(name, code, ccms, (config, input) => {
    const kcm = referenceKcm(input);
    return kcm === null ? null : differs(of(config), of(kcm));
  });
}

function ccms({ managers }: PreflightInput): readonly PlacedConfig[] {
  return managers.filter(({ manager }) => manager === 'ccm');
}

/** The retry period is left out: it decides how fast a standby takes over, not which process may act. */
function electionOf({ timings }: Pick<ManagerConfig, 'timings'>): string {
  return `lease ${timings.leaseDurationSeconds} s, renew deadline ${timings.renewDeadlineSeconds} s`;
}

function differs(seen: string, wanted: string): string | null {
  return seen === wanted ? null : `${seen === '' ? 'none' : seen}, KCM ${wanted}`;
}

function isHash(text: string): boolean {
  return text.startsWith('sha256:');
}

/** One range, or two on a dual-stack cluster. Source: k8s.io/cloud-provider app/core.go processCIDRs. */
function isRange(cidr: string): boolean {
  const ranges = cidr.split(',');
  return ranges.length <= 2 && ranges.every((one) => /^[0-9a-fA-F.:]+\/\d{1,3}$/.test(one.trim()));
}
