import { isEvidenceRecord } from '../../domain/evidence/lines.js';
import type { ReconciledRun } from '../../domain/evidence/reconcile-requests.js';
import { runSpan } from './run-span.js';
import { readExport } from './runs-on-record.js';

/** The run of an export, as an audit log is compared with it. @throws UsageError for a text that is none. */
export function reconciledRun(
  file: string,
  text: string,
): { readonly workflowId: string; readonly run: ReconciledRun } {
  const { workflowId, records, executions } = readExport(file, text);
  return {
    workflowId,
    run: { ...runSpan(executions), records: records.filter(isEvidenceRecord) },
  };
}
