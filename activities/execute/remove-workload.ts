import { SYSTEM_NAMESPACE } from '../../domain/rendering/paths.js';
import { failure } from '../failures.js';
import type { ConfigMapObject } from '../observe/objects.js';
import { isOurs, readObject, removeObject, removeOurObject } from './object-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, note } from './step-session.js';

/** Removes the CCM's workload and its Leader Migration files, so that nothing restarts a CCM. Foreign ones stay. */
export async function removeCcmWorkload(session: StepSession): Promise<EffectReport> {
  const { source, name } = session.before.ccmWorkload;
  if (source === 'none') return NOTHING_LOST;
  const kind = source === 'deployment' ? 'Deployment' : 'DaemonSet';
  const ref = { apiVersion: 'apps/v1', kind, namespace: SYSTEM_NAMESPACE, name };
  const workload = await readObject(session, ref);
  if (workload !== null && !isOurs(workload)) {
    throw failure(
      'ForeignEdit',
      `${kind} ${SYSTEM_NAMESPACE}/${name} is managed by another tool: remove it there, then \`ccm-migrate retry\``,
    );
  }
  if (workload !== null) {
    await removeObject(session, ref, workload);
    note(session, `${kind} ${name} removed`);
  }
  for (const configMap of migrationConfigMaps(session)) {
    await removeOurObject(session, configMap);
  }
  return { lost: null, changed: ['workload'] };
}

function migrationConfigMaps({ slow }: StepSession): readonly {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}[] {
  const names = [...slow.workload.configMaps.keys()]
    .map((path) => path.split('/')[0] ?? '')
    .filter((name) => name.startsWith('ccm-leader-migration-'));
  return [...new Set(names)].map((name) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap' satisfies NonNullable<ConfigMapObject['kind']>,
    namespace: SYSTEM_NAMESPACE,
    name,
  }));
}
