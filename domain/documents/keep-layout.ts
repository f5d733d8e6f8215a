import type { ChangeObject } from 'diff';
import { diffArrays } from 'diff';

/** Beyond this many lines changed it is no edit of a few fields, and comparing would take too long. */
const MOST_CHANGED_LINES = 1000;

/** Some lines of what a printer makes of a text, and the lines of the text that they stand for. */
interface Block {
  readonly plain: number;
  readonly text: readonly string[];
}

/** A printed line that went into the result, with how far the text indents it otherwise. */
interface Anchor {
  readonly indent: number;
  readonly shift: number;
}

/**
 * An edit without the printer's own layout: `plain` is what the printer makes of `text`, `edited` the same after an edit.
 * Lines that the edit left alone come from `text`, and new ones are indented as their neighbours there. Null where the
 * three are too far apart to tell.
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

/** Blank lines are nobody's fields: the printer moves them about with what it takes for theirs, so they stay. */
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

/** What is further in than the line below belongs to what stands above, and not behind the blank lines between. */
function placeOf(first: string, at: number, printed: readonly string[]): number {
  const below = printed[at] ?? '';
  if (below !== '' && indentOf(first) <= indentOf(below)) return at;
  let place = at;
  while (printed[place - 1] === '') place -= 1;
  return place;
}

/**
 * Lines that differ in their spaces alone stand for each other, and else as many for as many; where the printer made more
 * or fewer of some, they are one block: which of them stands for which nobody knows.
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
    // Also where a line gave way: what comes in its place stands as far in as that did.
    for (const [index, { printed }] of block.entries()) follow(anchors, printed, text[index]);
    at += plain;
  }
  add(last);
  return result.join('\n');
}

function isUntouched(block: readonly Line[]): boolean {
  return block.every(({ kept, news }, index) => kept && (index === 0 || news.length === 0));
}

/** As far in as the line above that it belongs to or stands beside. */
function indented(line: string, anchors: Anchor[]): string {
  const indent = indentOf(line);
  const shift = anchors.findLast((above) => above.indent <= indent)?.shift ?? 0;
  const moved = ' '.repeat(Math.max(0, indent + shift)) + line.slice(indent);
  follow(anchors, line, moved);
  return moved;
}

/** What is further in than the last line is over. Blank lines and comments stand anywhere. */
function follow(anchors: Anchor[], printed: string, placed = printed): void {
  if (/^\s*(#|$)/.test(printed)) return;
  const indent = indentOf(printed);
  while ((anchors.at(-1)?.indent ?? -1) >= indent) anchors.pop();
  anchors.push({ indent, shift: indentOf(placed) - indent });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
