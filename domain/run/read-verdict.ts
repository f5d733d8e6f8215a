import { VERDICTS, type GateVerdict } from '../gates/verdicts.js';
import { isRecord } from './operator-command.js';

/**
 * A verdict as signalled. One that cannot be read as a whole is still a breach: a hard gate that fails, with the words that can be
 * read. Its numbers are left to the report that holds the run.
 */
export function readVerdict(sent: unknown): GateVerdict {
  const given = isRecord(sent) ? sent : {};
  const [gate, detail, code] = [text(given['gate']), text(given['detail']), text(given['code'])];
  const hardness = HARDNESSES.find((each) => each === given['hardness']);
  const verdict = VERDICTS.find((each) => each === given['verdict']);
  if (hardness === undefined || verdict === undefined || gate === '' || code === '') {
    return {
      ...{ gate: gate || 'guard', hardness: 'hard', verdict: 'fail' },
      ...{ detail: detail || 'the guard reported a breach', code: code || 'CCM4023' },
    };
  }
  const noted = given['noted'] === true ? { noted: true as const } : {};
  return { gate, hardness, verdict, detail, code, ...noted };
}

const HARDNESSES = ['hard', 'soft'] as const;

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
