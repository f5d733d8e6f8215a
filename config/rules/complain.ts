import type { SchemaComplaint } from '../problems.js';

export type DocumentPath = readonly (string | number)[];

/** Reports a problem of the document at hand, at a value unless it is about a key. */
export type Complain = (
  complaint: Omit<SchemaComplaint, 'about'> & { readonly about?: 'key' | 'value' },
) => void;
