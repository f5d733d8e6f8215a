/** A `string` of SSH (RFC 4251, section 5): its length in four bytes, then its bytes. */
export function sshString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([sshNumber(bytes.length), bytes]);
}

/** A `uint32` of SSH. */
export function sshNumber(value: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES);
  bytes.writeUInt32BE(value);
  return bytes;
}

const LENGTH_BYTES = 4;

/** The strings that these bytes are made of, to the last byte; null where a length says otherwise. */
export function sshStrings(bytes: Buffer): readonly Buffer[] | null {
  const strings: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at + LENGTH_BYTES;
    if (start > bytes.length) return null;
    const end = start + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    strings.push(bytes.subarray(start, end));
    at = end;
  }
  return strings;
}

/** The first strings of these bytes, so many, and the bytes after them; null where they are not there. */
export function firstSshStrings(
  bytes: Buffer,
  count: number,
): { readonly strings: readonly Buffer[]; readonly rest: Buffer } | null {
  const strings: Buffer[] = [];
  let rest = bytes;
  for (let left = count; left > 0; left -= 1) {
    const end = rest.length < LENGTH_BYTES ? Infinity : LENGTH_BYTES + rest.readUInt32BE();
    if (end > rest.length) return null;
    strings.push(rest.subarray(LENGTH_BYTES, end));
    rest = rest.subarray(end);
  }
  return { strings, rest };
}
