import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  entryOf,
  explain,
  FINDING_CODES,
  isFindingCode,
  makeFinding,
} from '../../../domain/findings/catalogue.js';

const COMMITTED = new URL('./codes.json', import.meta.url);

/** Titles by code as first published. Entries are added, never renamed or removed. */
function committed(): Record<string, string> {
  return JSON.parse(readFileSync(COMMITTED, 'utf8')) as Record<string, string>;
}

describe('catalogue', () => {
  it('the catalogue never reuses or drops a code', () => {
    const titles = Object.fromEntries(FINDING_CODES.map((code) => [code, entryOf(code).title]));
    expect(titles).toEqual(committed());
  });

  it.each(FINDING_CODES)('%s explains what, why, what to do and on what it rests', (code) => {
    const { title, why, fix, source } = entryOf(code);
    expect(code).toMatch(/^CCM[1-5]\d{3}$/);
    expect(title).not.toMatch(/\.$/);
    for (const text of [title, why, fix, source]) expect(text.trim().length).toBeGreaterThan(3);
  });

  it('a finding of the catalogue has one subject', () => {
    expect(makeFinding('CCM2010', { subject: 'node cp-1', seen: 'pid 7 is stopped' })).toEqual({
      code: 'CCM2010',
      subject: 'node cp-1',
      seen: 'pid 7 is stopped',
      severity: 'error',
      why: entryOf('CCM2010').why,
      fix: entryOf('CCM2010').fix,
      source: entryOf('CCM2010').source,
    });
  });

  it('a finding may be milder than its usual severity', () => {
    const seen = { subject: 'node w-1', seen: 'worker', severity: 'warning' } as const;
    expect(makeFinding('CCM1201', seen).severity).toBe('warning');
  });

  it('a code is explained as a page', () => {
    const page = explain('CCM1005');
    expect(page).toMatch(/^CCM1005: The Leader Migration file names/);
    expect(page).toContain('What to do\n  ');
  });

  it('the catalogue recognises its codes', () => {
    expect(isFindingCode('CCM1001')).toBe(true);
    expect(isFindingCode('CCM9999')).toBe(false);
    expect(isFindingCode('toString')).toBe(false);
  });
});
