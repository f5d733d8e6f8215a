import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

const LARGEST_BODY = 1024 * 1024;

export type ReadHookBody =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'refused'; readonly status: 400 | 413 | 415; readonly problem: string }
  /** Its sender is gone, or was too slow. */
  | { readonly kind: 'gone' };

/** Reads a JSON body of at most 1 MiB; a longer one is refused as soon as that is known, and never kept. */
export async function readHookBody(request: IncomingMessage): Promise<ReadHookBody> {
  const refusal = refusalOf(request.headers);
  if (refusal !== null) return refusal;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > LARGEST_BODY) return TOO_LARGE;
      chunks.push(chunk);
    }
    return { kind: 'read', text: UTF8.decode(Buffer.concat(chunks)) };
  } catch (error) {
    if (!(error instanceof TypeError)) return { kind: 'gone' };
    return { kind: 'refused', status: 400, problem: 'it is not UTF-8' };
  }
}

/** What the headers say is enough to refuse it. */
function refusalOf(headers: IncomingHttpHeaders): ReadHookBody | null {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    return { kind: 'refused', status: 415, problem: 'send application/json' };
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    return { kind: 'refused', status: 415, problem: 'send it without content-encoding' };
  }
  return Number(headers['content-length'] ?? 0) > LARGEST_BODY ? TOO_LARGE : null;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const TOO_LARGE: ReadHookBody = {
  kind: 'refused',
  status: 413,
  problem: 'larger than 1 MiB: let the sender bound its alerts (max_alerts)',
};

/** A sender that still writes would lose the answer: what it sends is thrown away, up to a limit. */
export function discardRest(request: IncomingMessage): void {
  let size = 0;
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LARGEST_BODY) request.destroy();
  });
}
