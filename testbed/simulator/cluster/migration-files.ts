import type { Manager } from '../../../domain/vocabulary.js';
import { BUILT_IN_LEADER_NAME, REGISTERED_NAMES } from '../versions/behaviour.js';
import { minorNumber, valueFor } from '../versions/by-minor.js';
import type { ManagerPlan } from './cluster-spec.js';

/** Where operators who follow the official guide put the file; one per manager, because their versions may differ. */
export const MIGRATION_FILES: Readonly<Record<Manager, string>> = {
  kcm: '/etc/kubernetes/leadermigration.conf',
  ccm: '/etc/kubernetes/leadermigration-ccm.conf',
};

export const GUIDE_NAMES = ['route', 'service', 'cloud-node-lifecycle'];

/** Text of a hand-written LeaderMigrationConfiguration; null when the plan needs none. */
export function migrationFile(plan: ManagerPlan): string | null {
  switch (plan.migration) {
    case 'off':
    case 'builtIn':
      return null;
    case 'guide':
      return fileText(GUIDE_NAMES, '"*"');
    case 'unquoted':
      return fileText(GUIDE_NAMES, '*');
    case 'canonical': {
      const names = valueFor(REGISTERED_NAMES, minorNumber(plan.version) ?? 0);
      return fileText([names.route, names.service, names['cloud-node-lifecycle']], '"*"');
    }
  }
}

/** `component` as YAML text. */
export function fileText(names: readonly string[], component: string): string {
  return [
    'kind: LeaderMigrationConfiguration',
    'apiVersion: controllermanager.config.k8s.io/v1',
    `leaderName: ${BUILT_IN_LEADER_NAME}`,
    'controllerLeaders:',
    ...names.map((name) => `  - name: ${name}\n    component: ${component}`),
    '',
  ].join('\n');
}
