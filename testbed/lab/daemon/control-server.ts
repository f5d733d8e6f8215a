import { createServer, type IncomingMessage } from 'node:http';
import { readBody } from '../../base/http/exchange.js';
import { describeLab } from '../describe-lab.js';
import { letHappen } from '../faults.js';
import { sendJson, startServer, stopServer } from '../host/http-servers.js';
import type { Lab } from '../lab.js';
import { readFault } from './read-fault.js';

const BODY_LIMIT = 64 * 1024;

export interface ControlServer {
  stop(): Promise<void>;
}

/** Serves the requests of `npm run lab` on a socket in the lab's own folder, which only root may enter. */
export async function serveControl(
  lab: Lab,
  socketPath: string,
  askedToEnd: () => void,
): Promise<ControlServer> {
  const server = createServer((incoming, outgoing) => {
    answer(lab, incoming, askedToEnd).then(
      (body) => sendJson(outgoing, 200, body),
      (error: unknown) => sendJson(outgoing, 400, { message: messageOf(error) }),
    );
  });
  await startServer(server, { path: socketPath });
  return {
    stop: async () => stopServer(server),
  };
}

async function answer(
  lab: Lab,
  incoming: IncomingMessage,
  askedToEnd: () => void,
): Promise<object> {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://lab.invalid');
  const wanted = `${incoming.method ?? 'GET'} ${pathname}`;
  if (wanted === 'GET /status') return describeLab(lab);
  if (wanted === 'POST /down') {
    setImmediate(askedToEnd);
    return { message: 'ending' };
  }
  return answerOfCluster(lab, incoming, wanted, searchParams);
}

async function answerOfCluster(
  lab: Lab,
  incoming: IncomingMessage,
  wanted: string,
  searchParams: URLSearchParams,
): Promise<object> {
  const name = searchParams.get('cluster') ?? 'lab-1';
  const cluster = lab.clusters.find((one) => one.name === name);
  if (cluster === undefined) throw new Error(`the lab has no cluster ${name}`);
  switch (wanted) {
    case 'GET /truth':
      return lab.truth(name).truth(Date.now());
    case 'GET /requests':
      return { items: lab.truth(name).requests(Number(searchParams.get('since') ?? '0')) };
    case 'POST /faults': {
      const text = (await readBody(incoming, BODY_LIMIT)) ?? '';
      return { message: await letHappen(lab, cluster, readFault(text)) };
    }
    default:
      throw new Error(`the lab does not serve ${wanted}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
