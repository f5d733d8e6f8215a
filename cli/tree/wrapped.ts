/**
 * A text in lines of at most `width` columns, broken between words; a word that is longer stands on a line of its own, so
 * that it can be copied whole. Width Infinity breaks nothing.
 */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
