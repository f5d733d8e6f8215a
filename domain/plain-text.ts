/**
 * What a terminal would obey or hide instead of showing it: control characters (C0, DEL, C1), marks that turn the direction
 * of writing, what is invisible or splits lines, and halves of characters. Source: Unicode 15.1, General_Category Cc, Cf, Cs, Zl, Zp.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const REPLACEMENT = '\ufffd';

/**
 * A text of a stranger (an API server, a node, a file) for people, in one line: nothing in it can move the cursor, begin a
 * line of its own, or look like something else. Linear in its length.
 */
export function oneLine(text: string): string {
  return text.replace(/[\t\n\r\p{Zl}\p{Zp}]+/gu, ' ').replace(UNSEEN, REPLACEMENT);
}

/** The same where several lines are meant, as of a manifest: line ends and tabs stay. */
export function severalLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(UNSEEN, (each) => (each === '\n' || each === '\t' ? each : REPLACEMENT));
}

/** JSON with everything escaped that a terminal would obey or hide: the same value, whoever shows it. */
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
