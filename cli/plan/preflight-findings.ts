import type { Fleet } from '../../config/fleet.js';
import type { Finding } from '../../domain/finding.js';
import type { PreflightExtra } from '../../domain/preflight/check.js';
import type { PreflightReport } from '../../domain/preflight/preflight.js';
import { preflight, preflightReport } from '../../domain/preflight/preflight.js';
import type { Target } from '../../domain/vocabulary.js';
import type { Inspected } from './inspect-cluster.js';

type Looked = Pick<Inspected, 'inspection' | 'notLookedAt'>;
type Wanted = Pick<Fleet, 'policy' | 'materials'>;

/** Preflight of an inspected cluster, with all that was read besides the observation. */
export function preflightFindings(
  looked: Looked,
  wanted: Wanted,
  target: Target = 'ccm',
): readonly Finding[] {
  const { observation } = looked.inspection.look;
  return preflight(observation, wanted.policy, extraOf(looked, wanted, target));
}

/** The same with what came of each check, of one look. */
export function preflightOf(looked: Looked, wanted: Wanted): PreflightReport {
  const { observation } = looked.inspection.look;
  return preflightReport(observation, wanted.policy, extraOf(looked, wanted, 'ccm'));
}

/** What the CCM may not do is no reason to keep it: a way back does not ask. */
function extraOf(
  { inspection, notLookedAt }: Looked,
  { materials }: Wanted,
  target: Target,
): PreflightExtra {
  const { ccmDenied, beside } = inspection;
  const kcmManifests = Object.fromEntries(
    Object.entries(inspection.manifests).flatMap(([node, { kcm }]) =>
      kcm === undefined ? [] : [[node, kcm]],
    ),
  );
  return {
    ...{ ...materials, ...beside, kcmManifests, notLookedAt },
    ...(ccmDenied === null || target === 'kcm' ? {} : { ccmDenied }),
  };
}
