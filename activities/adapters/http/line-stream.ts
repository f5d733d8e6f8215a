import { failure } from '../../failures.js';
import { onAbort } from '../../on-abort.js';

/** A watch event holds one object; etcd takes at most 1.5 MiB. */
const MAX_LINE_BYTES = 2 * 1024 * 1024;

export interface LineLimits {
  readonly signal?: AbortSignal;
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface LineSource extends AsyncIterable<unknown> {
  destroy(): unknown;
}

/**
 * Lines of an answer that stays open. Ends without error after `totalMs`, after `idleMs` of silence (a half-open connection
 * looks like a quiet one, and only this notices) and when the stream breaks: a watcher lists again anyway. Cancellation
 * throws the caller's reason. The connection is closed however the reader stops.
 */
export async function* lines(
  what: string,
  limits: LineLimits,
  open: (stream: AbortController) => Promise<LineSource>,
): AsyncGenerator<string> {
  const { signal, idleMs, totalMs } = limits;
  signal?.throwIfAborted();
  const stream = new AbortController();
  const end = (): void => {
    stream.abort(new Error('ended'));
  };
  const leave = signal === undefined ? undefined : onAbort(signal, end);
  let source: LineSource | null = null;
  let idle: NodeJS.Timeout | undefined;
  let total: NodeJS.Timeout | undefined;
  try {
    source = await open(stream);
    total = setTimeout(end, totalMs);
    idle = setTimeout(end, idleMs);
    yield* completeLines(what, alive(source, idle, stream.signal));
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    leave?.();
    source?.destroy();
    end();
  }
  signal?.throwIfAborted();
}

/** The source's chunks until it ends or breaks; each one restarts the idle timer. */
async function* alive(
  source: LineSource,
  idle: NodeJS.Timeout,
  ended: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await chunks.next().catch(() => null);
    if (next === null || next.done === true || ended.aborted) return;
    idle.refresh();
    yield Buffer.isBuffer(next.value) ? next.value : Buffer.from(String(next.value));
  }
}

const NEWLINE = 0x0a;

/** An unfinished last line is dropped: its event is seen in the next list. */
async function* completeLines(what: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, at)]).toString('utf8');
      parts = [];
      bytes = 0;
      start = at + 1;
      if (line.trim() !== '') yield line;
    }
    const rest = chunk.subarray(start);
    parts.push(rest);
    bytes += rest.length;
    if (bytes > MAX_LINE_BYTES) {
      throw failure(
        'Unavailable',
        `${what}: one event is longer than ${String(MAX_LINE_BYTES)} bytes`,
      );
    }
  }
}
