/** Enough of POSIX ustar for images of a few files: no long names, no links, every file owned by root. */

const BLOCK = 512;

export interface TarEntry {
  readonly name: string;
  readonly mode: number;
  readonly bytes: number;
  readonly kind?: 'file' | 'folder';
}

/** The header block of an entry (POSIX.1-1988, ustar). Times are 0, so that equal contents have equal digests. */
export function tarHeader({ name, mode, bytes, kind = 'file' }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: more than 100 bytes in a tar name`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'ascii');
  };
  header.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(0, 136, 12);
  // The checksum counts its own field as blanks.
  header.write('        ', 148, 'ascii');
  header.write(kind === 'file' ? '0' : '5', 156, 'ascii');
  header.write('ustar\0' + '00', 257, 'ascii');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

/** Zeros that pad the last block of an entry. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);
}

/** The end marker: two empty blocks. */
export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

/** A complete entry from memory. */
export function tarFile(name: string, content: Buffer, mode = 0o644): Buffer {
  return Buffer.concat([
    tarHeader({ name, mode, bytes: content.length }),
    content,
    tarPadding(content.length),
  ]);
}
