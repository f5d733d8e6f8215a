import type { ManagerSlot } from '../observation.js';
import type { Side } from '../vocabulary.js';

/**
 * The side of a node, from what runs and would run on it; never from its version, since N and N+1 may be equal.
 * An in-tree KCM makes it `source`, beside a CCM `mixed`; a KCM without loops makes it `target`.
 */
export function sideOf(kcm: ManagerSlot, ccm: ManagerSlot): Side {
  if (kcm.manifest.state === 'unknown' || ccm.manifest.state === 'unknown') return 'unknown';
  const hasCcm = isThere(ccm);
  const loops = [
    ...kcm.processes.map(({ config }) => config),
    ...(kcm.manifest.state === 'present' ? [kcm.manifest.config] : []),
  ].map(({ cloudLoops }) => cloudLoops);
  if (loops.includes(true)) return hasCcm || loops.includes(false) ? 'mixed' : 'source';
  return hasCcm || loops.length > 0 ? 'target' : 'unknown';
}

function isThere({ manifest, processes }: ManagerSlot): boolean {
  return manifest.state === 'present' || processes.length > 0;
}
