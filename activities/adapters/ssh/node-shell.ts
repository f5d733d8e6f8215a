import type { SshAccess } from '../../../config/loaded-inventories.js';
import { failure, failureTypeOf } from '../../failures.js';
import type { CallOptions, KubernetesApi } from '../../ports.js';
import { type Deadline, withDeadline } from '../deadline.js';
import { connectionFailure } from '../http/answer-failure.js';
import { DEFAULT_TIMEOUT_MS, type RequestSeen } from '../http/http.js';
import { type Attempt, withRetry } from '../http/with-retry.js';
import type { Identify } from '../kubernetes/cluster-identity.js';
import type { ConnectionPool } from './connection-pool.js';
import { openConnection, readLogin } from './open-connection.js';
import { answerLines } from './remote-answer.js';
import { type RemoteCall, remoteRequest } from './remote-request.js';
import type { CommandOutcome, SshConnection } from './ssh-connection.js';
import { sshTarget } from './ssh-target.js';

/** One remote command, described for people and for execution. */
export interface NodeQuestion {
  readonly node: string;
  /** For errors: `read cp-1:/etc/x`. */
  readonly what: string;
  /** Changes nothing, so it may be retried whatever its outcome. */
  readonly safe: boolean;
  readonly calls: readonly RemoteCall[];
}

export interface NodeShellSettings {
  /** Name in the inventory: host keys are looked up by it. */
  readonly cluster: string;
  /** The cluster that these nodes must belong to. */
  readonly identify: Identify;
  readonly access: SshAccess;
  readonly pool: ConnectionPool;
  /** Source of the nodes' addresses. */
  readonly api: KubernetesApi;
  readonly onRequest: (seen: RequestSeen) => void;
}

/** Runs remote commands on nodes: deadlines, retries and failures of the closed list. */
export interface NodeShell {
  ask(question: NodeQuestion, options?: CallOptions): Promise<readonly string[]>;
  /** An operation over several channels under one deadline. */
  within<T>(
    what: string,
    options: CallOptions | undefined,
    act: (deadline: Deadline) => Promise<T>,
  ): Promise<T>;
  askWithin(question: NodeQuestion, deadline: Deadline): Promise<readonly string[]>;
  connected<T>(
    node: string,
    signal: AbortSignal,
    act: (connection: SshConnection) => Promise<T>,
  ): Promise<T>;
}

export function createNodeShell(settings: NodeShellSettings): NodeShell {
  const { cluster, identify, access, pool, api, onRequest } = settings;
  const connected: NodeShell['connected'] = (node, signal, act) =>
    pool.use(
      node,
      signal,
      async () =>
        openConnection(await sshTarget({ cluster, node }, access, api), await readLogin(access)),
      act,
    );
  const askWithin: NodeShell['askWithin'] = (question, deadline) =>
    withRetry(deadline, question.safe, async () => {
      const attempt = await asked(question, { sudo: access.sudo, identify }, deadline, connected);
      onRequest({
        method: 'SSH',
        path: `/v2/nodes/${question.node}`,
        code: attempt.kind === 'done' ? 200 : null,
      });
      return attempt;
    });
  const within: NodeShell['within'] = (what, { signal, timeoutMs } = {}, act) =>
    withDeadline(timeoutMs ?? DEFAULT_TIMEOUT_MS, signal, async (deadline) => {
      try {
        return await act(deadline);
      } catch (error) {
        throw connectionFailure(what, error, deadline.expired());
      }
    });
  return {
    connected,
    askWithin,
    within,
    ask: (question, options) =>
      within(question.what, options, (deadline) => askWithin(question, deadline)),
  };
}

/** One remote command with its whole answer. */
async function asked(
  { node, what, safe, calls }: NodeQuestion,
  { sudo, identify }: { readonly sudo: boolean; readonly identify: Identify },
  deadline: Deadline,
  connected: NodeShell['connected'],
): Promise<Attempt<readonly string[]>> {
  try {
    const request = remoteRequest(sudo, await identify(), calls);
    const { signal } = deadline;
    const outcome = await connected(node, signal, (connection) => connection.run(request, signal));
    return { kind: 'done', value: answerLines(what, request, output(what, outcome)) };
  } catch (error) {
    const failed = connectionFailure(what, error, deadline.expired());
    const type = failureTypeOf(failed);
    const mayRepeat = type === 'Throttled' || (safe && type === 'Unavailable');
    return { kind: 'failed', error: failed, mayRepeat };
  }
}

function output(
  what: string,
  outcome: CommandOutcome,
): Extract<CommandOutcome, { kind: 'ended' }>['output'] {
  switch (outcome.kind) {
    case 'ended':
      return outcome.output;
    case 'notSent':
      // Without a channel, or on a closed connection, nothing was sent: it is safe to retry.
      throw failure('Throttled', `${what}: the node opened no channel (${outcome.why})`, {
        details: { reason: 'NotSent' },
      });
    case 'tooLong':
      throw failure('Unavailable', `${what}: the answer is longer than 1 MiB`, {
        details: { reason: 'TooLarge' },
      });
  }
}
