/** Largest manifest or Leader Migration file that is read, in UTF-16 units; real ones have 2 to 8 thousand. */
const LARGEST_DOCUMENT = 256 * 1024;

const DEEPEST = 100;

/**
 * Why a text is not even given to the YAML parser; null when it may be. The parser recurses, so a few
 * kilobytes of brackets or dashes would end the whole process.
 */
export function boundsProblem(text: string): string | null {
  if (text.length > LARGEST_DOCUMENT) {
    return `the document has ${text.length} characters; at most ${LARGEST_DOCUMENT} are read`;
  }
  return nestingProblem(text);
}

/** As `boundsProblem`, for texts whose length is bounded elsewhere. */
export function nestingProblem(text: string): string | null {
  return deepestFlow(text) > DEEPEST || deepestBlock(text) > DEEPEST
    ? `the document is nested deeper than ${DEEPEST} levels`
    : null;
}

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
