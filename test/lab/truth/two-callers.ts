import type { JournalEntry } from '../../../lab/cloud/cloud-call.js';
import type { LabScene } from './lab-scene.js';
import { until } from './until.js';

/** The first EnsureLoadBalancer of each manager since an index of the journal, when both have called for one Service. */
export async function firstCallsOfBoth(
  scene: LabScene,
  since: number,
): Promise<{ readonly apartMs: number }> {
  const { seen } = await until(
    'both managers call for the same Service',
    () => bothOf(scene.calls('EnsureLoadBalancer', since)),
    { last: () => JSON.stringify(scene.calls('EnsureLoadBalancer', since)) },
  );
  return { apartMs: Math.abs(seen[0].startMs - seen[1].startMs) };
}

function bothOf(calls: readonly JournalEntry[]): readonly [JournalEntry, JournalEntry] | null {
  const of = (component: string): JournalEntry | undefined =>
    calls.find((call) => call.component === component);
  const [kcm, ccm] = [of('kube-controller-manager'), of('cloud-controller-manager')];
  if (kcm === undefined || ccm === undefined) return null;
  return kcm.args['service'] === ccm.args['service'] ? [kcm, ccm] : null;
}
