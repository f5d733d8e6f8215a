import type { LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { AuditExport } from '../../config/outputs/reports.js';
import { digestJson } from '../../domain/digest.js';
import { verifyChain } from '../../domain/evidence-chain.js';
import { exportText } from './export-run.js';
import type { ReportedEnd } from './history-facts.js';
import { reportedEnd } from './history-facts.js';

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
export async function verifyExport(
  text: string,
  converter: LoadedDataConverter = loadDataConverter(DATA_CONVERTER),
): Promise<Verified> {
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
      chainCheck(content, await reportedEnd(content.history, converter)),
    ],
  };
}

/** The chain itself, and its end against what the run's own history recorded. */
function chainCheck(content: AuditExport, end: ReportedEnd): AuditCheck {
  const chain = verifyChain(content.records, end.kind === 'reported' ? end : undefined);
  if (chain.kind === 'broken') return fail('evidence chain', `record ${chain.at}: ${chain.why}`);
  if (chain.head !== content.head)
    return fail('evidence chain', 'its head is not the exported one');
  switch (end.kind) {
    case 'reported':
      return chainPass(chain.records, 'whole');
    case 'none':
      return chainPass(chain.records, 'the run has not reported its end, so it is not proven');
    case 'unreadable':
      return fail('evidence chain', 'its history says the end in an encoding unknown here');
  }
}

function chainPass(records: number, end: string): AuditCheck {
  return { check: 'evidence chain', result: 'pass', detail: `${records} records, ${end}` };
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
