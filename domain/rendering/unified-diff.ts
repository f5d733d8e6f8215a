import { structuredPatch } from 'diff';

const CONTEXT_LINES = 2;

/** Hunks of a unified diff, without file headers; empty when nothing differs. An absent text is an empty one. */
export function unifiedDiff(before: string | null, after: string | null): string {
  const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', {
    context: CONTEXT_LINES,
  });
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
