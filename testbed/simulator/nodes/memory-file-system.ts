import type { Cancel, FileSystem, SimulatedFile } from '../model.js';

/** A node's files in memory. Writes are atomic: no reader sees a partial file. */
export class MemoryFileSystem implements FileSystem {
  private readonly files = new Map<string, SimulatedFile>();
  private readonly listeners = new Set<(path: string) => void>();

  private readonly nowMs: () => number;

  /** `nowMs`: the node's clock, for modification times; `files`: the initial content, by path. */
  constructor(nowMs: () => number, files: Readonly<Record<string, string>>) {
    this.nowMs = nowMs;
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  read(path: string): SimulatedFile | undefined {
    return this.files.get(path);
  }

  list(directory: string): readonly string[] {
    const prefix = directory.endsWith('/') ? directory : `${directory}/`;
    return [...this.files.keys()]
      .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
      .map((path) => path.slice(prefix.length))
      .sort();
  }

  write(path: string, content: string, mode = this.files.get(path)?.mode ?? '0600'): void {
    this.files.set(path, { content, mode, changedAtMs: this.nowMs() });
    this.tell(path);
  }

  remove(path: string): void {
    if (this.files.delete(path)) this.tell(path);
  }

  onChange(listener: (path: string) => void): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(path: string): void {
    for (const listener of this.listeners) listener(path);
  }
}
