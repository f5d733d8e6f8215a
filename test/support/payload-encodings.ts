/** Encodings of all payloads of a history but those of search attributes, which stay readable for lists. */
export function encodingsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([name]) => name !== 'searchAttributes');
  const { encoding } = { encoding: '', ...('metadata' in value ? (value.metadata as object) : {}) };
  const own = encoding === '' ? [] : [Buffer.from(encoding, 'base64').toString()];
  return [...own, ...members.flatMap(([, member]) => encodingsIn(member))];
}
