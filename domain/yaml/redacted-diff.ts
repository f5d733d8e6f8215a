import { type StructuredPatch, structuredPatch } from 'diff';
import { memoizeByKey } from '../memoize.js';
import { redact } from '../redaction.js';
import { maskEnvironment } from './mask-environment.js';

/** A text before and after a change; null where there is none. */
export interface TextChange {
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * What changed, for plans and evidence: these go into tickets, logs and exports, so whatever may be a credential is left out.
 * Empty when nothing differs besides. Each text is redacted as a whole: a hunk may have the middle of a key and not its beginning.
 */
export function redactedDiff({ before, after }: TextChange): string {
  return unifiedDiff(shown(before), shown(after));
}

function shown(text: string | null): string | null {
  return text === null ? null : knownText(text);
}

/** In characters: what the clusters that move at the same time write. */
const ROOM = 2 * 1024 * 1024;

/** Nodes mostly have equal files, and what one step writes is what the next one begins with. */
const knownText = memoizeByKey(
  (text: string) => redact(maskEnvironment(text)),
  (text) => text,
  ROOM,
);

/** Of one record; a manifest of kubeadm has 4 KB, and a machine's files together some 20. */
const LONGEST = 32 * 1024;

/** The same for a record of evidence: cut after the last line that has room, and saying so. */
export function boundedDiff(changes: readonly TextChange[]): string {
  const text = changes.map(redactedDiff).join('');
  if (text.length <= LONGEST) return text;
  const end = text.lastIndexOf('\n', LONGEST - 1) + 1;
  const left = text.slice(end).split('\n').length - 1;
  return `${text.slice(0, end)}! ${String(left)} more lines are left out\n`;
}

const CONTEXT_LINES = 2;

/** Lines added and removed up to which they are compared: beyond, the time grows with their square, and nothing is alike. */
const MOST_EDITS = 500;

/**
 * Hunks of a unified diff, without file headers; empty when nothing differs. An absent text is an empty one. Of texts that have
 * little in common each is shown whole.
 */
export function unifiedDiff(before: string | null, after: string | null): string {
  const names = ['', ''] as const;
  const context = CONTEXT_LINES;
  if (before === null || after === null)
    return hunkTexts(structuredPatch(...names, before ?? '', after ?? '', '', '', { context }));
  const limits = { context, maxEditLength: MOST_EDITS };
  const patch = structuredPatch(...names, before, after, '', '', limits);
  return patch === undefined
    ? unifiedDiff(before, null) + unifiedDiff(null, after)
    : hunkTexts(patch);
}

function hunkTexts({ hunks }: StructuredPatch): string {
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const place = `@@ -${span(oldStart, oldLines)} +${span(newStart, newLines)} @@`;
      return [place, ...lines, ''].join('\n');
    })
    .join('');
}

/** An empty span names the line before it, which is what `patch` reads. */
function span(start: number, lines: number): string {
  if (lines === 0) return `${String(start - 1)},0`;
  return lines === 1 ? String(start) : `${String(start)},${String(lines)}`;
}
