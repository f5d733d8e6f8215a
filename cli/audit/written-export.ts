import type { AuditExport } from '../../config/outputs/report-documents.js';
import { digestJson } from '../../domain/digest.js';
import { parseJson } from '../read-json.js';
import { type AuditCheck, fail, judged, pass } from './audit-check.js';
import { EXPANDS_TOO_FAR, expandsTooFar } from './expanded-size.js';
import { exportText } from './export-run.js';
import { buildIdIn, isStartedOnce, linksOf } from './history-facts.js';

type ExportedExecution = AuditExport['executions'][number];

/** What exports of runs and of fleets have in common. */
type WrittenExport = Pick<AuditExport, 'digest' | 'runId' | 'executions'>;

/** An export as its text says it, by the schema of its kind; otherwise the check that it is none. */
export type OpenedExport<T> =
  | { readonly kind: 'opened'; readonly raw: unknown; readonly content: T }
  | { readonly kind: 'refused'; readonly check: AuditCheck };

/** The schema of a document: `config/outputs`. */
interface Schema<T> {
  readonly safeParse: (raw: unknown) => Parsed<T>;
}

type Parsed<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export function openedExport<T>(schema: Schema<T>, text: string): OpenedExport<T> {
  const raw = parseJson(text);
  const parsed = schema.safeParse(raw);
  if (parsed.success && expandsTooFar(raw)) {
    return { kind: 'refused', check: fail('format', EXPANDS_TOO_FAR) };
  }
  if (parsed.success) return { kind: 'opened', raw, content: parsed.data };
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${issue.path.join('.')} ${issue.message}`;
  return { kind: 'refused', check: fail('format', `not an export of this tool${where}`) };
}

/** Compared with the text as read: parsing by the schema would hide changes in key order and unknown members. */
export function writtenChecks(
  { digest }: Pick<WrittenExport, 'digest'>,
  raw: unknown,
  text: string,
): readonly AuditCheck[] {
  const read = typeof raw === 'object' && raw !== null ? Object.entries(raw) : [];
  const rest = Object.fromEntries(read.filter(([name]) => name !== 'digest'));
  const written = exportText(Object.fromEntries(read)) === text;
  return [
    written ? pass('bytes', 'as written') : fail('bytes', 'not as written'),
    digestJson(rest) === digest
      ? pass('digest', digest)
      : fail('digest', 'the content does not match its digest'),
  ];
}

/** Each execution must be the continuation of the one before it, and each history must match its digest. */
export function executionsCheck({ executions, runId }: Omit<WrittenExport, 'digest'>): AuditCheck {
  const links = executions.map(({ history }) => linksOf(history));
  const faults = executions.flatMap((execution, index) => {
    const name = `execution ${String(index + 1)}`;
    const before = executions[index - 1]?.runId ?? '';
    const { first, previous } = links[index] ?? { first: '', previous: '' };
    const follows = index === 0 || links[index - 1]?.next === execution.runId;
    return [
      ...historyFaults(execution).map((fault) => `${name}: ${fault}`),
      ...(first === runId ? [] : [`${name} belongs to run ${first}`]),
      ...(previous === before && follows ? [] : [`${name} does not follow the one before it`]),
    ];
  });
  const missing = links.at(-1)?.next === '' ? [] : ['the last execution continued as another one'];
  const good = `${String(executions.length)} of run ${runId}, each the continuation of the one before`;
  return judged('executions', [...faults, ...missing], good);
}

function historyFaults({ history, historyDigest, buildId }: ExportedExecution): readonly string[] {
  return [
    ...(digestJson(history) === historyDigest ? [] : ['the history does not match its digest']),
    ...(isStartedOnce(history) ? [] : ['its first event alone does not say how it was started']),
    ...(buildIdIn(history) === buildId ? [] : ['its history names another build']),
  ];
}
