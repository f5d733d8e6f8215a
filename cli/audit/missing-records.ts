import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { reportedEnd } from './history-facts.js';

/** How many records the run reported at its end beyond those that were found; 0 of a run that has not said it. */
export async function missingRecords({
  records,
  executions,
}: Pick<AuditExport, 'records' | 'executions'>): Promise<number> {
  const history = executions.at(-1)?.history;
  const end = await reportedEnd(history, loadDataConverter(DATA_CONVERTER));
  return end.kind === 'reported' ? Math.max(0, end.records - records.length) : 0;
}
