import type { ChangeObject } from 'diff';
import { diffArrays } from 'diff';

/** With more changed lines than this it is not an edit of a few fields, and comparing would take too long. */
const MOST_CHANGED_LINES = 1000;

/** Some printed lines, and the lines of the original text they correspond to. */
interface Block {
  readonly plain: number;
  readonly text: readonly string[];
}

/** A printed line in the result, with the difference to its indentation in the original text. */
interface Anchor {
  readonly indent: number;
  readonly shift: number;
}

/**
 * Applies an edit without imposing the printer's layout: `plain` is `text` as printed, `edited` the same after the edit.
 * Untouched lines come from `text`, and new ones are indented like their neighbours there. Null where the three differ too
 * much to match.
 */
export function keepLayout(text: string, plain: string, edited: string): string | null {
  const [ours, printed] = [text.split('\n'), plain.split('\n')];
  const blocks = blocksOf(ours, printed);
  const changes = diffArrays(printed, edited.split('\n'), { maxEditLength: MOST_CHANGED_LINES });
  if (blocks === null || changes === undefined) return null;
  const { gone, added } = changesIn(changes, printed);
  const lines = printed.map((line, at): Line => {
    return { printed: line, kept: !gone.has(at), news: added.get(at) ?? [] };
  });
  return lineUp(blocks, lines, added.get(printed.length) ?? []);
}

/** A line of the printer. */
interface Line {
  readonly printed: string;
  readonly kept: boolean;
  /** New lines before it. */
  readonly news: readonly string[];
}

/** Blank lines stay where they are: the printer moves them along with the field it attaches them to. */
function changesIn(
  changes: readonly ChangeObject<string[]>[],
  printed: readonly string[],
): { readonly gone: ReadonlySet<number>; readonly added: ReadonlyMap<number, readonly string[]> } {
  const gone = new Set<number>();
  const added = new Map<number, readonly string[]>();
  let at = 0;
  for (const change of changes) {
    const [first, ...rest] = change.value.filter((line) => line !== '');
    if (change.added && first !== undefined) {
      const place = placeOf(first, at, printed);
      added.set(place, [...(added.get(place) ?? []), first, ...rest]);
    }
    for (const [index, line] of change.value.entries()) {
      if (change.removed && line !== '') gone.add(at + index);
    }
    if (!change.added) at += change.count;
  }
  return { gone, added };
}

/**
 * A line indented deeper than the line below belongs to what is above it, so it goes before the blank lines between
 * them.
 */
function placeOf(first: string, at: number, printed: readonly string[]): number {
  const below = printed[at] ?? '';
  if (below !== '' && indentOf(first) <= indentOf(below)) return at;
  let place = at;
  while (printed[place - 1] === '') place -= 1;
  return place;
}

/**
 * Lines that differ only in spaces correspond to each other, otherwise equal numbers of lines do. Where the printer produced
 * more or fewer lines, they form one block, because their correspondence is unknown.
 */
function blocksOf(ours: readonly string[], printed: readonly string[]): readonly Block[] | null {
  if (ours.length === printed.length) return ours.map((line) => ({ plain: 1, text: [line] }));
  const [before, after] = [printed.map(packed), ours.map(packed)];
  const changes = diffArrays(before, after, { maxEditLength: MOST_CHANGED_LINES });
  if (changes === undefined) return null;
  const blocks: Block[] = [];
  let [at, removed] = [0, 0];
  const pair = (plain: number, text: readonly string[]): void => {
    if (plain === text.length) blocks.push(...text.map((line) => ({ plain: 1, text: [line] })));
    else blocks.push({ plain, text });
    [at, removed] = [at + text.length, 0];
  };
  for (const { added, removed: gone, count } of changes) {
    if (gone) removed = count;
    else if (added) pair(removed, ours.slice(at, at + count));
    else {
      pair(removed, []);
      pair(count, ours.slice(at, at + count));
    }
  }
  pair(removed, []);
  return blocks;
}

function packed(line: string): string {
  return line.replaceAll(' ', '');
}

function lineUp(blocks: readonly Block[], lines: readonly Line[], last: readonly string[]): string {
  const result: string[] = [];
  const anchors: Anchor[] = [];
  const add = (news: readonly string[]): void => {
    for (const line of news) result.push(indented(line, anchors));
  };
  let at = 0;
  for (const { plain, text } of blocks) {
    const block = lines.slice(at, at + plain);
    if (isUntouched(block)) {
      for (const { news } of block) add(news);
      result.push(...text);
    } else {
      for (const { news, kept, printed } of block) add(kept ? [...news, printed] : news);
    }
    // Also for a removed line: its replacement gets the same indentation.
    for (const [index, { printed }] of block.entries()) follow(anchors, printed, text[index]);
    at += plain;
  }
  add(last);
  return result.join('\n');
}

function isUntouched(block: readonly Line[]): boolean {
  return block.every(({ kept, news }, index) => kept && (index === 0 || news.length === 0));
}

/** Indented like the line above that is its parent or sibling. */
function indented(line: string, anchors: Anchor[]): string {
  const indent = indentOf(line);
  const shift = anchors.findLast((above) => above.indent <= indent)?.shift ?? 0;
  const moved = ' '.repeat(Math.max(0, indent + shift)) + line.slice(indent);
  follow(anchors, line, moved);
  return moved;
}

/** Deeper levels than the last line have ended. Blank lines and comments may have any indentation. */
function follow(anchors: Anchor[], printed: string, placed = printed): void {
  if (/^\s*(#|$)/.test(printed)) return;
  const indent = indentOf(printed);
  while ((anchors.at(-1)?.indent ?? -1) >= indent) anchors.pop();
  anchors.push({ indent, shift: indentOf(placed) - indent });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
