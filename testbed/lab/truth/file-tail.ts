import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Lines of an append-only file, each returned once. An incomplete line is returned by the next read. */
export class FileTail {
  private readonly path: string;
  private offset = 0;
  private rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.path = path;
  }

  /** Complete lines since the last read. @throws Error when the file has shrunk: evidence is lost. */
  newLines(): readonly string[] {
    if (!existsSync(this.path)) return [];
    const file = openSync(this.path, 'r');
    try {
      const { size } = fstatSync(file);
      if (size < this.offset) throw new Error(`${this.path} has shrunk`);
      const fresh = Buffer.alloc(size - this.offset);
      const read = readSync(file, fresh, 0, fresh.length, this.offset);
      this.offset += read;
      return this.split(Buffer.concat([this.rest, fresh.subarray(0, read)]));
    } finally {
      closeSync(file);
    }
  }

  private split(bytes: Buffer): readonly string[] {
    const end = bytes.lastIndexOf('\n') + 1;
    this.rest = bytes.subarray(end);
    const text = bytes.subarray(0, end).toString('utf8');
    return text.split('\n').filter((line) => line !== '');
  }
}
