import type { Inspection } from '../../activities/inspection.js';
import type { Fleet } from '../../config/fleet.js';
import type { Finding } from '../../domain/finding.js';
import { preflight } from '../../domain/preflight/preflight.js';
import type { Target } from '../../domain/vocabulary.js';

/**
 * Preflight of an inspected cluster, with all that was read besides the observation. What the CCM may not do is no reason to keep
 * it: a way back does not ask.
 */
export function preflightFindings(
  { look, manifests, ccmDenied }: Inspection,
  { policy, materials }: Pick<Fleet, 'policy' | 'materials'>,
  target: Target = 'ccm',
): readonly Finding[] {
  const kcmManifests = Object.fromEntries(
    Object.entries(manifests).flatMap(([node, { kcm }]) =>
      kcm === undefined ? [] : [[node, kcm]],
    ),
  );
  return preflight(look.observation, policy, {
    ...{ ...materials, kcmManifests },
    ...(ccmDenied === null || target === 'kcm' ? {} : { ccmDenied }),
  });
}
