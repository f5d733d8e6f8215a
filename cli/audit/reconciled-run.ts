import { AuditExport } from '../../config/outputs/report-documents.js';
import { isEvidenceRecord } from '../../domain/evidence/lines.js';
import type { ReconciledRun } from '../../domain/evidence/reconcile-requests.js';
import { UsageError } from '../cli-error.js';
import { parseJson } from '../read-json.js';
import { runSpan } from './runs-on-record.js';

/** The run of an export, as an audit log is compared with it. @throws UsageError for a text that is none. */
export function reconciledRun(
  file: string,
  text: string,
): { readonly workflowId: string; readonly run: ReconciledRun } {
  const parsed = AuditExport.safeParse(parseJson(text));
  if (!parsed.success) throw new UsageError(`${file} is not an export of this tool`);
  const { workflowId, records, executions } = parsed.data;
  return {
    workflowId,
    run: { ...runSpan(executions), records: records.filter(isEvidenceRecord) },
  };
}
