import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export type ReadBody =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly problem: string }
  /** Its sender is gone, or was too slow. */
  | { readonly kind: 'gone' };

/** How large a body may be. */
export interface BodyBound {
  readonly bytes: number;
  /** What the sender of a larger one is told. */
  readonly problem: string;
}

/** Reads a JSON body; one that is too long is refused as soon as that is known, and never kept. */
export async function readJsonBody(request: IncomingMessage, bound: BodyBound): Promise<ReadBody> {
  const tooLarge = { kind: 'refused', status: 413, problem: bound.problem } as const;
  const refusal = wrongKind(request.headers);
  if (refusal !== null) return refusal;
  if (Number(request.headers['content-length'] ?? 0) > bound.bytes) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > bound.bytes) return tooLarge;
      chunks.push(chunk);
    }
    return { kind: 'read', text: UTF8.decode(Buffer.concat(chunks)) };
  } catch (error) {
    if (!(error instanceof TypeError)) return { kind: 'gone' };
    return { kind: 'refused', status: 400, problem: 'it is not UTF-8' };
  }
}

/** What the headers say is enough to refuse it. */
function wrongKind(headers: IncomingHttpHeaders): (ReadBody & { readonly kind: 'refused' }) | null {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    return { kind: 'refused', status: 415, problem: 'send application/json' };
  }
  return (headers['content-encoding'] ?? 'identity') === 'identity'
    ? null
    : { kind: 'refused', status: 415, problem: 'send it without content-encoding' };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Of a body that is not wanted, after which its connection is ended. */
const MOST_DISCARDED = 1024 * 1024;

/** A sender that still writes would lose the answer: what it sends is thrown away, up to a limit. */
export function discardRest(request: IncomingMessage): void {
  let size = 0;
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MOST_DISCARDED) request.destroy();
  });
}
