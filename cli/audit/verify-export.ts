import { AuditExport } from '../../config/outputs/reports.js';
import { digestJson } from '../../domain/digest.js';
import { verifyChain } from '../../domain/evidence-chain.js';
import { exportText } from './export-run.js';
import { evidenceHeadIn } from './history-facts.js';

export interface AuditCheck {
  readonly check: string;
  readonly result: 'pass' | 'fail' | 'skipped';
  readonly detail: string;
}

export interface Verified {
  readonly checks: readonly AuditCheck[];
  /** Null when the text is no export at all. */
  readonly content: AuditExport | null;
}

/** All that can be proven offline, without replay. One changed bit anywhere fails at least one check. */
export function verifyExport(text: string): Verified {
  const raw = parseJson(text);
  const parsed = AuditExport.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined ? '' : `: ${issue.path.join('.')} ${issue.message}`;
    return { checks: [fail('format', `no export of this tool${where}`)], content: null };
  }
  const content = parsed.data;
  // Checked as it was read: the schema's own order and choice of members would hide a change.
  const read = typeof raw === 'object' && raw !== null ? Object.entries(raw) : [];
  const rest = Object.fromEntries(read.filter(([name]) => name !== 'digest'));
  return {
    content,
    checks: [
      verdict(
        'bytes',
        exportText(Object.fromEntries(read)) === text,
        'as it was written',
        'not as it was written',
      ),
      verdict(
        'digest',
        digestJson(rest) === content.digest,
        content.digest,
        'the content is not that of its digest',
      ),
      verdict(
        'history digest',
        digestJson(content.history) === content.historyDigest,
        content.historyDigest,
        'the history is not that of its digest',
      ),
      chainCheck(content),
    ],
  };
}

/** The chain itself, and its end against what the run's own history recorded. */
function chainCheck(content: AuditExport): AuditCheck {
  const expected = evidenceHeadIn(content.history);
  const chain = verifyChain(content.records, expected ?? undefined);
  if (chain.kind === 'broken') return fail('evidence chain', `record ${chain.at}: ${chain.why}`);
  if (chain.head !== content.head)
    return fail('evidence chain', 'its head is not the exported one');
  const end = expected === null ? 'the run has not ended, so its end is not proven' : 'whole';
  return { check: 'evidence chain', result: 'pass', detail: `${chain.records} records, ${end}` };
}

function verdict(check: string, holds: boolean, good: string, bad: string): AuditCheck {
  return holds ? { check, result: 'pass', detail: good } : fail(check, bad);
}

function fail(check: string, detail: string): AuditCheck {
  return { check, result: 'fail', detail };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
