import { isObject } from '../../base/json.js';

/** Where the next page of a list starts, and the version of the list that all its pages share. */
export interface PageMark {
  readonly version: number;
  /** Key of the last object already returned. */
  readonly after: string;
}

/** The opaque `continue` token of a list. */
export function writeMark(mark: PageMark): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...mark })).toString('base64url');
}

/** Null when the token was not issued by this server. */
export function readMark(token: string): PageMark | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (!isObject(value)) return null;
    const { version, after } = value;
    return typeof version === 'number' && typeof after === 'string' ? { version, after } : null;
  } catch {
    return null;
  }
}

/** Requested page size; 0 means everything. */
export function pageSize(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? '0');
  return Number.isInteger(limit) && limit > 0 ? limit : 0;
}
