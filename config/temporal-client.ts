import { Client, type ClientOptions, WorkflowClient } from '@temporalio/client';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { COMPRESSED_ENCODING } from './compressed-payloads.js';

/**
 * A client whose lists go on where a memo cannot be read. All who may write to the namespace can start a run with one: the SDK
 * decodes memos as it lists, and so one that is encrypted with another key would end every list, and what rests on it.
 */
export function openClient({ dataConverter, ...server }: ServerOptions): Client {
  const client = new Client({ ...server, dataConverter });
  const codec = readableOnly(dataConverter.payloadCodecs ?? []);
  const lists = new WorkflowClient({
    ...server,
    dataConverter: { ...dataConverter, payloadCodecs: [codec] },
  });
  client.workflow.list = (asked) => lists.list(asked);
  return client;
}

type ServerOptions = Required<Pick<ClientOptions, 'connection' | 'namespace'>> & {
  readonly dataConverter: DataConverter;
};

/** Nothing, as a payload. */
const NOTHING: Payload = { metadata: { encoding: Buffer.from('binary/null') } };

function readableOnly(codecs: readonly PayloadCodec[]): PayloadCodec {
  const readable = async (payload: Payload): Promise<Payload> => {
    try {
      let plain = payload;
      for (const codec of codecs.toReversed()) {
        // No memo of ours is compressed, and what a few of other people's hold may not fit into memory.
        if (encodingOf(plain) === COMPRESSED_ENCODING) return NOTHING;
        [plain = NOTHING] = await codec.decode([plain]);
      }
      if (encodingOf(plain) !== 'json/plain') return NOTHING;
      JSON.parse(Buffer.from(plain.data ?? []).toString());
      return plain;
    } catch {
      return NOTHING;
    }
  };
  return {
    encode: (payloads) => Promise.resolve(payloads),
    decode: (payloads) => Promise.all(payloads.map(readable)),
  };
}

function encodingOf({ metadata }: Payload): string {
  return Buffer.from(metadata?.['encoding'] ?? []).toString();
}
