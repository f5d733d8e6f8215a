import type { GateVerdict } from '../../domain/gates.js';
import type { FenceRecord } from '../fence/fence-record.js';
import { breachLines } from '../fence/fence-record.js';

/** The fence's text for these verdicts: one line per failing hard gate. Unmeasured gates are not a breach. */
function breachText(verdicts: readonly GateVerdict[]): string {
  return breachesOf(verdicts)
    .map(({ code, gate, detail }) => `${code} ${gate}: ${detail.replaceAll('\n', ' ')}`)
    .join('\n');
}

export function breachesOf(verdicts: readonly GateVerdict[]): readonly GateVerdict[] {
  return verdicts.filter(({ hardness, verdict }) => hardness === 'hard' && verdict === 'fail');
}

/**
 * Whether the fence must be rewritten because other gates fail now than recorded; changed figures alone are no reason.
 * A breach stays until the gate passes again; a gate that cannot be read keeps it.
 */
export function breachChange(
  fence: FenceRecord,
  verdicts: readonly GateVerdict[],
): { readonly changed: boolean; readonly text: string } {
  const noted = breachLines(fence.breach);
  const unread = verdicts
    .filter(({ verdict }) => verdict !== 'fail' && verdict !== 'pass')
    .map(({ code }) => code);
  const kept = noted
    .filter(({ code }) => unread.includes(code))
    .map(({ code, detail }) => `${code} ${detail}`);
  const text = [breachText(verdicts), ...kept].filter((line) => line !== '').join('\n');
  const before = noted.map(({ code }) => code).sort();
  const after = breachLines(text)
    .map(({ code }) => code)
    .sort();
  return { changed: before.join() !== after.join(), text };
}
