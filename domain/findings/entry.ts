import type { Severity } from '../finding.js';

/** What is always true of one finding, whatever cluster it is seen in. */
export interface CatalogueEntry {
  readonly title: string;
  readonly severity: Severity;
  readonly why: string;
  readonly fix: string;
  /** KEP, upstream path, issue or measurement that the rule rests on. */
  readonly source: string;
}
