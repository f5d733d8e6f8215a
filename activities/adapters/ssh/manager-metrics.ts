import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { Manager } from '../../../domain/vocabulary.js';
import { failure } from '../../failures.js';
import type { Secret } from '../credentials/secret.js';
import { type Deadline, withDeadline } from '../deadline.js';
import { raceAbort } from '../../race-abort.js';
import { connectionFailure } from '../http/answer-failure.js';
import { PAGE_LIMIT, bodyText } from '../http/http.js';
import type { Listener, SeenHost } from './host-answer.js';
import type { NodeShell } from './node-shell.js';
import { letGo } from './ssh-connection.js';

/** The operator's credential from the cluster's kubeconfig. */
export interface ManagerCredential {
  readonly certificate: { readonly pem: string; readonly key: Secret } | null;
  /** Null where the client certificate authenticates us. */
  bearer(): Promise<Secret | null>;
}

/** A manager's own metrics, through an SSH channel to its port on the node. Null when nothing listens there. */
export interface ManagerMetrics {
  read(
    what: string,
    node: string,
    manager: Manager,
    seen: SeenHost,
    deadline: Deadline,
  ): Promise<string | null>;
  /** The election series only. Also null when they are unavailable: metrics are evidence that may be missing. */
  elections(
    what: string,
    node: string,
    manager: Manager,
    seen: SeenHost,
    deadline: Deadline,
  ): Promise<string | null>;
}

/** A manager on the node's loopback answers within milliseconds, unless it is stopped or starting. */
const ELECTIONS_MS = 3_000;

export function createManagerMetrics(
  shell: NodeShell,
  credential: ManagerCredential,
): ManagerMetrics {
  return {
    read: (what, node, manager, seen, deadline) =>
      metricsText({ shell, credential, what, node, limit: PAGE_LIMIT }, seen, manager, deadline),
    elections: async (what, node, manager, seen, { signal, ...outer }) => {
      const ofManager = seen.host.processes.filter((process) => process.manager === manager);
      if (ofManager.some(({ paused }) => paused)) return null;
      const asked = { shell, credential, what, node, limit: PAGE_LIMIT };
      try {
        const limitMs = Math.min(ELECTIONS_MS, outer.remainingMs());
        const text = await withDeadline(limitMs, signal, (deadline) =>
          metricsText(asked, seen, manager, deadline),
        );
        return text === null ? null : electionLines(text);
      } catch {
        signal.throwIfAborted();
        return null;
      }
    },
  };
}

interface Asked {
  readonly shell: NodeShell;
  readonly credential: ManagerCredential;
  readonly what: string;
  readonly node: string;
  readonly limit: number;
}

async function metricsText(
  { shell, credential, what, node, limit }: Asked,
  seen: SeenHost,
  manager: Manager,
  deadline: Deadline,
): Promise<string | null> {
  const listener = listenerOf(seen, manager);
  if (listener === null) return null;
  const stream = await openStream(shell, what, node, listener, deadline);
  if (stream === null) return null;
  try {
    const proof = await proofFor(what, listener, credential);
    return await exchange(what, stream, proof, { limit, deadline });
  } finally {
    letGo(stream);
  }
}

function electionLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.includes('leader_election_master_status'))
    .join('\n');
}

async function openStream(
  shell: NodeShell,
  what: string,
  node: string,
  { address, port }: Listener,
  { signal }: Deadline,
): Promise<Duplex | null> {
  const outcome = await raceAbort(
    signal,
    shell.connected(node, signal, (connection) => connection.forward(address, port, signal)),
  );
  switch (outcome.kind) {
    case 'open':
      return outcome.stream;
    case 'nobodyListens':
      return null;
    case 'forbidden':
      throw failure(
        'NotSupported',
        `${what}: sshd of ${node} opens no channel to ${address}:${String(port)}: allow it with AllowTcpForwarding local (docs/node-access-ssh.md)`,
      );
    case 'notSent':
      throw failure('Unavailable', `${what}: the node opened no channel (${outcome.why})`);
  }
}

interface Proof {
  readonly tls: { readonly cert?: string; readonly key?: string };
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A certificate authenticates us without revealing a secret. A token is only sent to a process of root on a node that is
 * authenticated by its host key: see docs/adr/0013-nodes-over-ssh.md.
 */
async function proofFor(
  what: string,
  { uid, port }: Listener,
  credential: ManagerCredential,
): Promise<Proof> {
  const { certificate } = credential;
  if (certificate !== null) {
    return { tls: { cert: certificate.pem, key: certificate.key.reveal() }, headers: {} };
  }
  const token = await credential.bearer();
  if (token === null) return { tls: {}, headers: {} };
  if (uid !== 0) {
    throw failure(
      'NotSupported',
      `${what}: port ${String(port)} belongs to user ${String(uid)} of the node, which must not see the kubeconfig's token. Use a client certificate in the kubeconfig`,
    );
  }
  return { tls: {}, headers: { authorization: `Bearer ${token.reveal()}` } };
}

async function exchange(
  what: string,
  stream: Duplex,
  { tls, headers }: Proof,
  { limit, deadline }: { readonly limit: number; readonly deadline: Deadline },
): Promise<string> {
  // The manager's certificate is self-signed at its start, so it cannot be verified. The SSH connection authenticates
  // // the node, and what listens on its loopback is as trustworthy as the node.
  const socket = connectTls({
    socket: stream,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ...tls,
  });
  try {
    const response = await raceAbort(deadline.signal, answerOf(socket, headers));
    const text = await raceAbort(deadline.signal, bodyText(what, response, limit));
    const { statusCode = 0 } = response;
    if (statusCode === 200) return text;
    throw metricsRefused(what, statusCode, text);
  } catch (error) {
    throw connectionFailure(what, error, deadline.expired());
  } finally {
    socket.destroy();
  }
}

function answerOf(
  socket: Duplex,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    const asked = request({
      path: '/metrics',
      headers: { host: 'localhost', accept: 'text/plain', connection: 'close', ...headers },
      createConnection: () => socket,
    });
    asked.on('error', reject);
    asked.on('response', resolve);
    asked.end();
  });
}

/** Defaults of --secure-port. Source: k8s.io/cloud-provider ports.go, kubernetes/kubernetes cmd/kube-controller-manager ports.go. */
const SECURE_PORTS: Readonly<Record<Manager, number>> = { kcm: 10257, ccm: 10258 };

const SECURE_PORT = /^--secure-port=(\d{1,5})$/;

/**
 * Where a manager serves its metrics on its node: the port from its arguments, else the default; null when nothing
 * listens there.
 */
function listenerOf({ host, listeners }: SeenHost, manager: Manager): Listener | null {
  const named = host.processes
    .filter((process) => process.manager === manager)
    .flatMap((process) => process.arguments)
    .map((word) => SECURE_PORT.exec(word)?.[1])
    .filter((port) => port !== undefined)
    .map(Number);
  const port = named[0] ?? SECURE_PORTS[manager];
  const there = listeners.filter((listener) => listener.port === port);
  // Where several share the port under different addresses, the least trusted one decides about a token.
  return there.toSorted((a, b) => b.uid - a.uid)[0] ?? null;
}

const DELEGATOR = 'a ClusterRoleBinding of its identity to ClusterRole system:auth-delegator';

/**
 * Which grant is missing when a manager does not answer 200: ours for 403; its own where it may not review us at the API
 * server, which it answers with 500 (rights, SubjectAccessReview) or 401 (tokens, TokenReview).
 * Source: k8s.io/apiserver pkg/endpoints/filters/{authentication,authorization}.go.
 */
export function metricsRefused(what: string, status: number, said: string): Error {
  const details = { status };
  if (status === 403) {
    return failure(
      'Forbidden',
      `${what}: the manager refuses the kubeconfig's user: grant get on nonResourceURLs /metrics`,
      { details },
    );
  }
  if (status === 401) {
    return failure(
      'Unauthorized',
      `${what}: answered 401. The manager does not know the kubeconfig's user, or lacks the right to ask the ` +
        `API server (create tokenreviews): ${DELEGATOR}`,
      { details },
    );
  }
  if (status === 500 && said.includes('subjectaccessreviews')) {
    return failure(
      'Forbidden',
      `${what}: answered 500. The manager itself may not ask the API server who may read them ` +
        `(create subjectaccessreviews): it lacks ${DELEGATOR}`,
      { details },
    );
  }
  return failure('Unavailable', `${what}: answered ${String(status)}`, { details });
}
