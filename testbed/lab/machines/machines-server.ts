import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { statusAnswer } from '../../base/http/answers.js';
import type { ServedAnswer, ClusterRequest } from '../../base/http/request.js';
import { Credentials } from '../../base/auth/credentials.js';
import { answerCloud } from '../../base/cloud-api.js';
import { answerMachines } from '../../base/machines/machines-api.js';
import type { MachineProvider } from '../../base/machines/machine.js';
import { BODY_LIMIT, readBody, send, TOO_LARGE_ANSWER } from '../../base/http/exchange.js';
import type { ClusterCloud } from '../cloud/cluster-cloud.js';
import type { ClusterPki } from '../cluster/pki.js';
import { startServer, stopServer } from '../host/http-servers.js';

export interface MachinesServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface MachinesServerOptions {
  readonly machines: MachineProvider & {
    /** Called before each deletion, whose safety is decided on this observation. */
    readEtcd(): Promise<void>;
  };
  readonly cluster: string;
  readonly cloud: Pick<ClusterCloud, 'listLoadBalancers'>;
  readonly pki: ClusterPki;
  readonly address: string;
  readonly port: number;
}

/** Groups that may order and delete machines: the cluster's administrators, and workers of the product. */
const MAY_ORDER = ['system:masters', 'kubeadm:cluster-admins', 'ccmlab:machines'];

const CLOUD = '/cloud-api';

const UNAUTHORIZED = statusAnswer(401, 'Unauthorized', 'Unauthorized');

/** Serves machines API and, under `/cloud-api`, cloud API of a cluster to clients with a certificate of its authority. */
export async function serveMachines(options: MachinesServerOptions): Promise<MachinesServer> {
  const { address, port, pki } = options;
  const own = pki.authority.issueServer([address]);
  const server = createServer(
    {
      cert: own.certificatePem,
      key: own.privateKeyPem,
      ca: pki.authority.certificatePem,
      requestCert: true,
      // A client without a certificate gets a 401, not a failed handshake.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    },
    (incoming, outgoing) => {
      answer(options, incoming).then(
        (found) => send(outgoing, found, Date.now()),
        (error: unknown) => fail(outgoing, error),
      );
    },
  );
  await startServer(server, { host: address, port });
  return {
    url: `https://${address}:${port}`,
    stop: async () => stopServer(server),
  };
}

async function answer(
  options: MachinesServerOptions,
  incoming: IncomingMessage,
): Promise<ServedAnswer> {
  const { cluster, pki } = options;
  const { socket, headers, method = 'GET' } = incoming;
  const isKnown = socket instanceof TLSSocket && socket.authorized;
  const requester = new Credentials(cluster, pki.authority).authenticate({
    authorization: '',
    certificate: isKnown ? socket.getPeerCertificate() : null,
  });
  if (requester === null) return UNAUTHORIZED;
  if (!requester.groups.some((group) => MAY_ORDER.includes(group))) {
    const message = `${requester.user} may not use machines API and cloud API`;
    return statusAnswer(403, 'Forbidden', message);
  }
  const body = await readBody(incoming, BODY_LIMIT);
  if (body === null) return TOO_LARGE_ANSWER;
  const { pathname, searchParams: query } = new URL(incoming.url ?? '/', 'https://lab.invalid');
  const { 'content-type': contentType = '', 'user-agent': userAgent = '' } = headers;
  const request = {
    method,
    path: pathname,
    query,
    contentType,
    accept: '',
    userAgent,
    body,
    requester,
  };
  return answerAsSeen(options, request);
}

async function answerAsSeen(
  { machines, cloud }: MachinesServerOptions,
  request: ClusterRequest,
): Promise<ServedAnswer> {
  const { method, path } = request;
  if (path.startsWith(CLOUD)) {
    const inner = { ...request, path: path.slice(CLOUD.length) };
    return answerCloud(() => cloud.listLoadBalancers(), inner);
  }
  if (method === 'DELETE') await machines.readEtcd();
  return answerMachines(machines, request);
}

function fail(outgoing: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  send(outgoing, statusAnswer(500, 'InternalError', message), Date.now());
}
