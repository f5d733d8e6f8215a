export type Severity = 'error' | 'warning' | 'info';

/** One thing that is wrong or worth knowing. `code` is stable and never reused; `explain CODE` prints its page. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  /** The object or node concerned, for example `node cp-1` or `Lease kube-system/cloud-provider-extraction-migration`. */
  readonly subject: string;
  /** What was observed, as measured. */
  readonly seen: string;
  readonly why: string;
  readonly fix: string;
  /** KEP, upstream path or measurement that the rule rests on. */
  readonly source: string;
}

export function isBlocking(finding: Finding): boolean {
  return finding.severity === 'error';
}

/** The part of a finding that is the same for every cluster. */
export interface CatalogueEntry {
  readonly title: string;
  readonly severity: Severity;
  readonly why: string;
  readonly fix: string;
  /** KEP, upstream path, issue or measurement that the rule rests on. */
  readonly source: string;
}
