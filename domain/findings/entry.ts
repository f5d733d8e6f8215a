import type { Severity } from '../finding.js';

/** The part of a finding that is the same for every cluster. */
export interface CatalogueEntry {
  readonly title: string;
  readonly severity: Severity;
  readonly why: string;
  readonly fix: string;
  /** KEP, upstream path, issue or measurement that the rule rests on. */
  readonly source: string;
}
