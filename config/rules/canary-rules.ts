import type { WaveSpec } from '../kinds/wave.js';
import { didYouMean } from '../nearest-name.js';
import type { Complain, DocumentPath } from './complain.js';
import type { FleetMember } from './fleet-members.js';
import { repeatedInList } from './repeated-names.js';

/** The canaries of a wave, in the order of its clusters; those that it cannot have are reported. */
export function canariesOf(
  { canary, name }: WaveSpec,
  members: readonly FleetMember[],
  { path, complain }: { readonly path: DocumentPath; readonly complain: Complain },
): readonly FleetMember[] {
  if (canary === undefined) return [];
  const { names, count = 1 } = canary;
  if (names === undefined) {
    if (count > members.length && members.length > 0) {
      const message = `larger than its wave: ${String(count)} of ${String(members.length)}`;
      complain({ path: [...path, 'count'], message, code: 'CCM5024' });
    }
    return members.slice(0, count);
  }
  if (canary.count !== undefined) {
    const message = 'only one of count and names can be given';
    complain({ path: [...path, 'count'], about: 'key', message, code: 'CCM5010' });
  }
  repeatedInList(names, [...path, 'names'], complain);
  const known = members.map((member) => member.name);
  const inWave = new Set(known);
  for (const [index, written] of names.entries()) {
    if (inWave.has(written)) continue;
    const message = `not in wave ${name}${didYouMean(written, known)}`;
    complain({ path: [...path, 'names', index], message, code: 'CCM5024' });
  }
  const wanted = new Set(names);
  return members.filter((member) => wanted.has(member.name));
}
