import type { MigrationPolicy } from '../../../domain/policy.js';
import { policyOf } from '../../support/cluster-builder.js';
import type { Row } from './given.js';
import { cluster, withConfig } from './given.js';

export const KCM = 'node cp-1 kube-controller-manager';
export const CCM = 'node cp-1 cloud-controller-manager';
export const ALWAYS = ['service', 'route', 'cloud-node-lifecycle'] as const;

type Change = Parameters<typeof withConfig>[2];

/** A source cluster whose first KCM differs. */
export function kcm(change: Change): Row {
  return { observation: withConfig(cluster(), 'kcm', change) };
}

/** A migrated cluster whose first CCM differs. */
export function ccm(change: Change): Row {
  return { observation: withConfig(cluster('external', 'on'), 'ccm', change) };
}

export function lock(change: Partial<MigrationPolicy['lock']>): Row {
  return { policy: policyOf({ lock: { ...policyOf().lock, ...change } }) };
}

export function source(
  change: Partial<MigrationPolicy['source']>,
  rest: Partial<MigrationPolicy> = {},
): Row {
  return { policy: policyOf({ source: { ...policyOf().source, ...change }, ...rest }) };
}

/** The usual policy with other versions; source, target and CCM library. */
export function versions(before: string, after: string, library = after): MigrationPolicy {
  const { source: from, target, ccm: build } = policyOf();
  return policyOf({
    source: { ...from, version: before },
    target: { ...target, version: after },
    ccm: { ...build, version: library },
  });
}
