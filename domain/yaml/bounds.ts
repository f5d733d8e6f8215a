/** Largest manifest, Leader Migration file or kubeadm configuration that is read, in UTF-16 units; real ones have 2 to 8 thousand. */
export const LARGEST_DOCUMENT = 64 * 1024;
/**
 * Marks that begin or end a value, key or comment; real documents have a few hundred. The YAML parser takes about 3 µs
 * for each.
 */
const MOST_PARTS = 5000;

const DEEPEST = 100;

/**
 * Why a text is not passed to the YAML parser; null when it may be. The parser recurses, so a few kilobytes
 * of brackets or dashes would end the whole process.
 */
export function boundsProblem(text: string): string | null {
  if (text.length > LARGEST_DOCUMENT) {
    return `the document has ${text.length} characters; at most ${LARGEST_DOCUMENT} are read`;
  }
  return partsProblem(text) ?? nestingProblem(text);
}

function partsProblem(text: string): string | null {
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (PART_MARKS.includes(text.charAt(at))) parts += 1;
  }
  return parts > MOST_PARTS
    ? `the document has ${parts} parts; at most ${MOST_PARTS} are read`
    : null;
}

const PART_MARKS = '\n,:[]{}?-&*!#"\'';

/** As `boundsProblem`, for texts whose length is bounded elsewhere. */
export function nestingProblem(text: string): string | null {
  return deepestFlow(text) > DEEPEST || deepestBlock(text) > DEEPEST || nestsInOneValue(text)
    ? `the document is nested deeper than ${DEEPEST} levels`
    : null;
}

/**
 * `a: b: c: …` is not valid YAML, but the parser nests a map for each key before it reports that, in quadratic time. Between
 * two flow marks, or line ends, a value has one key.
 */
function nestsInOneValue(text: string): boolean {
  let names = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (VALUE_LIMITS.includes(character)) names = 0;
    else if (character === ':' && /\s/.test(text.charAt(at + 1))) names += 1;
    if (names > DEEPEST) return true;
  }
  return false;
}

const VALUE_LIMITS = '\n,[]{}';

function deepestFlow(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Block levels need two columns each, and `- - -` or `? ? ?` one level for each mark. */
function deepestBlock(text: string): number {
  const depths = text.split('\n').map((line) => {
    const rest = line.replace(/^(?:[ \t]|[-?:](?=\s))*/, '');
    return Math.ceil((line.length - rest.length) / 2);
  });
  return depths.reduce((deepest, depth) => Math.max(deepest, depth), 0);
}
