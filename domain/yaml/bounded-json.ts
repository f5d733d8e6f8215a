/** Deeper than any Kubernetes object read here. The limit exists because code that walks an object recurses. */
const DEEPEST = 100;
/** Values and members of one text. A busy Node has about 1,600. Parsing so many takes some 30 ms, whatever their shape. */
const MOST_PARTS = 200_000;

/** The text would take too long to parse, or nests too deep; its content is not read. */
export class OutOfBounds extends Error {}

/**
 * `JSON.parse` for external input: all clusters of a worker share one event loop, so none may block it for long.
 * @throws OutOfBounds before anything is parsed, SyntaxError as `JSON.parse` does
 */
export function parseBoundedJson(text: string): unknown {
  checkBounds(text);
  return JSON.parse(text);
}

function checkBounds(text: string): void {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        parts += 1;
        if (depth > DEEPEST) throw new OutOfBounds(`nested deeper than ${String(DEEPEST)} levels`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
      case COLON:
        parts += 1;
        break;
      default:
    }
    if (parts > MOST_PARTS) throw new OutOfBounds(`more than ${String(MOST_PARTS)} parts`);
  }
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0 && isEscaped(text, end, from)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, quote: number, from: number): boolean {
  let at = quote;
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 1;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
