import type { Manager } from '../../../../domain/vocabulary.js';
import { ccmStaticPod, kcmManifest } from '../../../../testbed/lab/cluster/manifests.js';
import type { ManagerPlan } from '../../../../testbed/simulator/cluster/cluster-spec.js';
import {
  MIGRATION_FILES,
  migrationFile,
} from '../../../../testbed/simulator/cluster/migration-files.js';

/**
 * The same plan that the simulator runs, as a static pod that real binaries accept. `nth` is in its text, so that its kubelet has not run
 * it before: a repeated one may wait for the back-off of its predecessor (docs/truth.md).
 */
export function realManifest(manager: Manager, plan: ManagerPlan, nth: number): string {
  const write = manager === 'kcm' ? kcmManifest : ccmStaticPod;
  const hasFile = migrationFile(plan) !== null;
  return write(plan.version, {
    cloudProvider: plan.cloudProvider,
    ...(plan.controllers === undefined ? {} : { controllers: plan.controllers }),
    annotations: { 'lab.ccm-migrate.dev/nth': `"${String(nth)}"` },
    files: hasFile ? [MIGRATION_FILES[manager]] : [],
    more: [
      ...(plan.migration === 'off' ? [] : ['--enable-leader-migration=true']),
      ...(hasFile ? [`--leader-migration-config=${MIGRATION_FILES[manager]}`] : []),
      ...(plan.extraArguments ?? []),
    ],
  });
}

/** Files that the plan's manifest needs on its node, beside what every node of the lab has. */
export function realFiles(manager: Manager, plan: ManagerPlan): Readonly<Record<string, string>> {
  const text = migrationFile(plan);
  return text === null ? {} : { [MIGRATION_FILES[manager]]: text };
}
