import { COMPONENTS } from '../../../domain/managers/controller-names.js';
import { ccmStaticPod, kcmManifest, type ManifestSettings } from '../../lab/cluster/manifests.js';
import { CLOUD_PROVIDER } from '../../lab/cluster/networks.js';
import { fileText, GUIDE_NAMES, migrationFile } from '../../simulator/cluster/migration-files.js';
import { BUILT_IN_LEADER_NAME } from '../../simulator/versions/behaviour.js';
import { FROM, TO } from './versions.js';

/**
 * The files that the guide tells operators to write. Source: kubernetes/website
 * content/en/docs/tasks/administer-cluster/controller-manager-leader-migration.md.
 */
export type GuideFiles = 'corrected' | 'literal';
export type GuideSide = 'kcm' | 'ccm';

/** The guide uses /etc/leadermigration.conf; a node of the lab keeps files that pods mount here. */
export const GUIDE_FILE = '/etc/kubernetes/leadermigration.conf';

/**
 * The configuration for version N (`kcm`) and N+1 (`ccm`). The corrected one uses the wildcard and is the same for
 * both.
 */
export function configurationFile(files: GuideFiles, side: GuideSide): string {
  switch (files) {
    case 'corrected': {
      const plan = {
        version: FROM,
        cloudProvider: CLOUD_PROVIDER,
        migration: 'canonical',
      } as const;
      return migrationFile(plan) ?? '';
    }
    case 'literal':
      return fileText(GUIDE_NAMES, COMPONENTS[side]);
  }
}

/** The guide's patch of a manager's Role, which replaces the existing rules. */
export const LITERAL_PATCH = {
  rules: [
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [BUILT_IN_LEADER_NAME],
      verbs: ['create', 'list', 'get', 'update'],
    },
  ],
} as const;

const PROTECTED: ManifestSettings = {
  cloudProvider: CLOUD_PROVIDER,
  files: [GUIDE_FILE],
  more: ['--enable-leader-migration=true', `--leader-migration-config=${GUIDE_FILE}`],
};

/**
 * Makes each run's manifests unique: a kubelet that knows a manifest's content may delay its container by the
 * back-off of an earlier run (docs/truth.md), which would distort the later measurement.
 */
export const ofRun = (run: string): Readonly<Record<string, string>> => ({
  'bench.ccm-migrate.dev/run': `"${run}"`,
});

export interface GuideManifests {
  /** Version N, with Leader Migration. */
  readonly kcmOfN: string;
  readonly kcmOfNext: string;
  readonly ccmOfNext: string;
}

/** Manifests for nodes of version N and N+1, for one run. */
export function guideManifests(run: string): GuideManifests {
  const annotations = ofRun(run);
  return {
    kcmOfN: kcmManifest(FROM, { ...PROTECTED, annotations }),
    kcmOfNext: kcmManifest(TO, { cloudProvider: 'external', annotations }),
    ccmOfNext: ccmStaticPod(TO, { ...PROTECTED, annotations }),
  };
}
