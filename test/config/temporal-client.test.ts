import { describe, expect, it } from '@jest/globals';
import type { Payload } from '@temporalio/common';
import { dataConverterWith } from '../../config/data-converter.js';
import { openClient } from '../../config/temporal-client.js';
import { payloadKeys } from '../support/payload-keys.js';

const KEYS = dataConverterWith(payloadKeys('k-1'));

const plain = (text: string, encoding = 'json/plain'): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(text),
});

async function encoded(payload: Payload, { payloadCodecs = [] } = KEYS): Promise<Payload> {
  let [written] = [payload];
  for (const codec of payloadCodecs) [written = payload] = await codec.encode([written]);
  return written;
}

/** A server that lists runs with these tickets, as far as a client asks it. */
function listing(tickets: readonly Payload[]) {
  const executions = tickets.map((ticket, index) => ({
    ...{ execution: { workflowId: 'w', runId: String(index) }, type: { name: 't' }, status: 1 },
    ...{ historyLength: { toNumber: () => 1 }, startTime: { seconds: 0, nanos: 0 } },
    memo: { fields: { ticket } },
  }));
  const listWorkflowExecutions = () => Promise.resolve({ executions });
  return { workflowService: { listWorkflowExecutions }, plugins: [] } as never;
}

async function listed(tickets: readonly Payload[]): Promise<readonly unknown[]> {
  const client = openClient({
    connection: listing(tickets),
    namespace: 'default',
    dataConverter: KEYS,
  });
  const memos: unknown[] = [];
  for await (const { memo } of client.workflow.list()) memos.push(memo?.['ticket']);
  return memos;
}

describe('a list of runs', () => {
  it('has what is in their memos, encrypted or not', async () => {
    expect(await listed([plain('"a"'), await encoded(plain('"b"'))])).toEqual(['a', 'b']);
  });

  it('goes on where a memo cannot be read', async () => {
    const large = plain(JSON.stringify('x'.repeat(300_000)));
    const other = dataConverterWith(payloadKeys('k-2'));
    const unreadable = [
      await encoded(plain('"c"'), other),
      await encoded(large),
      await encoded(large, dataConverterWith(null)),
      ...[plain('{'), plain('7', 'json/other'), plain('', 'binary/gzip'), {}],
    ];
    expect(await listed([...unreadable, plain('"last"')])).toEqual([
      ...unreadable.map(() => undefined),
      'last',
    ]);
  });
});
