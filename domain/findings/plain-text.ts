/**
 * Characters that a terminal would interpret or hide instead of showing: control characters (C0, DEL, C1), marks that change
 * the writing direction, invisible characters and line separators, and lone surrogates. Source: Unicode 15.1,
 * General_Category Cc, Cf, Cs, Zl, Zp.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const REPLACEMENT = '\ufffd';

/**
 * Untrusted text (from an API server, a node, a file) for people, in one line: nothing in it can move the cursor, start a new
 * line, or imitate something else. Linear in its length.
 */
export function oneLine(text: string): string {
  return text.replace(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ').replace(UNSEEN, REPLACEMENT);
}

/** The same for multi-line text, such as a manifest: line ends and tabs stay. */
export function severalLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSEEN, (each) => (each === '\n' || each === '\t' ? each : REPLACEMENT));
}

/**
 * JSON in which everything is escaped that a terminal would interpret or hide: the same value, safe to print anywhere.
 */
export function plainJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN, (each) =>
    each === '\n' ? each : escaped(each),
  );
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}
