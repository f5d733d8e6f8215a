import type { CloudJournalLine } from '../../../../testbed/lab/cloud/cloud-call.js';
import type { LabEnvironment } from './lab-environment.js';
import { until } from './until.js';

export interface CallsOfBoth {
  readonly apartMs: number;
}

/** The first EnsureLoadBalancer of each manager since an index of the journal, when both have called for one Service. */
export async function firstCallsOfBoth(
  environment: LabEnvironment,
  since: number,
): Promise<CallsOfBoth> {
  const last = (): string => JSON.stringify(environment.calls('EnsureLoadBalancer', since));
  const what = 'both managers call for the same Service';
  return (await until(what, () => callsOfBoth(environment, since), { last })).seen;
}

/** The same, null until both have called. */
export function callsOfBoth(environment: LabEnvironment, since: number): CallsOfBoth | null {
  const both = bothOf(environment.calls('EnsureLoadBalancer', since));
  return both === null ? null : { apartMs: Math.abs(both[0].startMs - both[1].startMs) };
}

function bothOf(
  calls: readonly CloudJournalLine[],
): readonly [CloudJournalLine, CloudJournalLine] | null {
  const of = (component: string): CloudJournalLine | undefined =>
    calls.find((call) => call.component === component);
  const [kcm, ccm] = [of('kube-controller-manager'), of('cloud-controller-manager')];
  if (kcm === undefined || ccm === undefined) return null;
  return kcm.args['service'] === ccm.args['service'] ? [kcm, ccm] : null;
}
