import type { Fleet } from '../../../../config/fleet.js';
import type { MetricGatePolicy } from '../../../../domain/policy.js';

/** The fleet, with these changes to how its gates are judged. */
export function judgedFleet(fleet: Fleet, changes: Partial<MetricGatePolicy>): Fleet {
  const { policy } = fleet;
  const { metricGates } = policy;
  if (metricGates === undefined) throw new Error('the policy does not say how gates are judged');
  return { ...fleet, policy: { ...policy, metricGates: { ...metricGates, ...changes } } };
}
