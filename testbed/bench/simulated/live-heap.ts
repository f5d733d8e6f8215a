import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { valueAt } from '../../base/json.js';

const ATTACHED_WITHIN_MS = 500;

/** Bytes of this process that survive a garbage collection: its main thread and all its worker threads, by the inspector. */
export async function liveHeap(): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    const threads = await attachThreads(session);
    await session.post('HeapProfiler.collectGarbage');
    let bytes = process.memoryUsage().heapUsed;
    for (const ask of threads) {
      await ask('HeapProfiler.collectGarbage');
      bytes += usedSizeIn(await ask('Runtime.getHeapUsage'));
    }
    return bytes;
  } finally {
    session.disconnect();
  }
}

/** Asks the inspector of another thread. */
type Ask = (method: string) => Promise<unknown>;

async function attachThreads(session: Session): Promise<readonly Ask[]> {
  const ids: string[] = [];
  const waiting = new Map<string, (answer: unknown) => void>();
  session.on('NodeWorker.attachedToWorker', ({ params }) => void ids.push(params.sessionId));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the inspector's protocol
    const { id, result } = JSON.parse(message) as { id?: number; result?: unknown };
    const key = `${sessionId} ${String(id)}`;
    waiting.get(key)?.(result);
    waiting.delete(key);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await sleep(ATTACHED_WITHIN_MS);
  let asked = 0;
  return ids.map((sessionId) => async (method) => {
    asked += 1;
    const id = asked;
    const answer = new Promise<unknown>((resolve) => waiting.set(`${sessionId} ${id}`, resolve));
    const message = JSON.stringify({ id, method });
    await session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    return answer;
  });
}

function usedSizeIn(answer: unknown): number {
  const size = valueAt(answer, 'usedSize');
  if (typeof size === 'number') return size;
  throw new Error('a thread does not say how much heap it uses');
}
