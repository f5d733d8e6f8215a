import { z } from 'zod';
import { MANAGERS } from '../../../domain/vocabulary.js';
import { failure, failureDetailsOf } from '../../failures.js';
import { nativeDigest } from '../../native-digest.js';
import type {
  CallOptions,
  HostState,
  NodeFile,
  NodeFiles,
  NodeKubelets,
  NodeProcesses,
  NodeSnapshot,
  NodeRequest,
  WriteGuard,
} from '../../ports.js';
import type { ReasonTypes } from '../http/answer-failure.js';
import type { HttpAnswer, HttpClient, HttpRequest } from '../http/http.js';
import { pathSegment } from '../http/object-paths.js';

/** Parts of the answers of docs/contracts/node-access-api.md. */
const Hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const FileAnswer = z.object({
  path: z.string(),
  content: z.string(),
  hash: Hash,
  mode: z.string(),
  changedAtMs: z.number(),
});

const DirectoryItems = z.array(z.object({ name: z.string(), hash: Hash }));

/** Arguments of one process; a manager has about fifty. */
export const MOST_ARGUMENTS = 2000;

const Arguments = z.array(z.string()).max(MOST_ARGUMENTS);

export const HostAnswer = z.object({
  hostname: z.string().min(1),
  bootId: z.string().min(1),
  bootTimeMs: z.number(),
  nowMs: z.number(),
  processes: z.array(
    z.object({
      pid: z.number().int().positive(),
      manager: z.enum(MANAGERS),
      // An agent of before this field would end a process without comparing it.
      startTicks: z.number().int().nonnegative().nullable().default(null),
      startedAtMs: z.number(),
      arguments: Arguments,
      paused: z.boolean(),
    }),
  ),
  // An agent that does not report kubelets leaves them unknown.
  kubelets: z
    .array(
      z.object({
        pid: z.number().int().positive(),
        startTicks: z.number().int().nonnegative(),
        startedAtMs: z.number(),
        arguments: Arguments,
      }),
    )
    .default([]),
});

const KubeletUnitAnswer = z.object({
  state: z.string(),
  environmentFiles: z.array(z.string()),
});

const KubeletRestartAnswer = z.object({ outcome: z.enum(['restarted', 'runsSo']) });

/** Reasons of docs/contracts/node-access-api.md. */
export const NODE_ACCESS_REASONS: ReasonTypes = {
  StaleEpoch: 'FenceLost',
  Conflict: 'ForeignEdit',
  NodeUnreachable: 'Unreachable',
  NoKubeletUnit: 'NotSupported',
  ForeignCluster: 'ForeignNode',
  NotStopped: 'PreconditionFailed',
  Traced: 'NotSupported',
};

const WriteAnswer = z.object({ hash: Hash });

export function createNodeFiles(http: HttpClient): NodeFiles {
  return {
    read: (node, path, options) => readFile(http, node, path, options),
    write: (node, path, content, guard, options) =>
      writeFile(http, node, path, content, guard, options),
    remove: async (node, path, { expect, epoch }, options) => {
      await sendTo(
        http,
        node,
        {
          what: `remove ${node}:${path}`,
          method: 'DELETE',
          path: nodePath(node, 'files'),
          query: { path, expect, epoch },
          safe: false,
        },
        options,
      );
    },
  };
}

export function createNodeProcesses(http: HttpClient): NodeProcesses {
  return {
    snapshot: async (node, wanted, options) => {
      const { files: path, directories: directory } = wanted;
      const request = reading(`inspect ${node}`, node, 'snapshot', { path, directory });
      const { json } = await sendTo(http, node, { ...request, answer: 'list' }, options);
      return snapshotOf(request.what, checkedAnswer(SnapshotAnswer, json, request.what), wanted);
    },
    host: async (node, options): Promise<HostState> => {
      const request = reading(`read processes of ${node}`, node, 'host', {});
      const { json } = await sendTo(http, node, request, options);
      return checkedAnswer(HostAnswer, json, request.what);
    },
    metrics: async (node, manager, options) => {
      const request = reading(`read metrics of ${manager} on ${node}`, node, 'metrics', {
        manager,
      });
      const answer = await unlessAbsent(() =>
        sendTo(http, node, { ...request, answer: 'text' }, options),
      );
      return answer?.text ?? null;
    },
    kill: async (node, { pid, startTicks }, { epoch }, options) => {
      const request: HttpRequest = {
        what: `end process ${String(pid)} of ${node}`,
        method: 'POST',
        path: nodePath(node, 'kill'),
        body: { pid, startTicks, epoch },
        safe: false,
      };
      // No such process: it ended by itself, which is the desired result.
      await unlessAbsent(() => sendTo(http, node, request, options));
    },
  };
}

async function readFile(
  http: HttpClient,
  node: string,
  path: string,
  options?: CallOptions,
): Promise<NodeFile | null> {
  const request = reading(`read ${node}:${path}`, node, 'files', { path });
  const answer = await unlessAbsent(() => sendTo(http, node, request, options));
  if (answer === null) return null;
  const file = checkedAnswer(FileAnswer, answer.json, request.what);
  if (file.path === path) return checkedFile(request.what, file);
  throw failure('Unavailable', `${request.what}: the answer is about ${file.path}`);
}

async function writeFile(
  http: HttpClient,
  node: string,
  path: string,
  content: string,
  { expect, epoch, isForAll = false }: WriteGuard,
  options?: CallOptions,
): Promise<void> {
  const what = `write ${node}:${path}`;
  const { json } = await sendTo(
    http,
    node,
    {
      what,
      method: 'PUT',
      path: nodePath(node, 'files'),
      query: { path },
      body: { content, expect, epoch, ...(isForAll ? { mode: '0644' } : {}) },
      safe: false,
    },
    options,
  );
  if (checkedAnswer(WriteAnswer, json, what).hash !== nativeDigest(content)) {
    throw failure(
      'Unavailable',
      `${what}: the node stored other content; observe before continuing`,
    );
  }
}

/** Null for a 404 about the requested file or process. */
async function unlessAbsent<T>(request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    const { status, reason } = failureDetailsOf(error);
    if (status === 404 && reason === 'NotFound') return null;
    throw error;
  }
}

/**
 * A 2xx answer as its contract describes it. Anything else is `Unavailable`: after a write, observe before continuing.
 */
export function checkedAnswer<T>(schema: z.ZodType<T>, json: unknown, what: string): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw failure('Unavailable', `${what}: the answer breaks the contract at ${path}`);
}

/** Kubelets of nodes over docs/contracts/node-access-api.md. */
export function createNodeKubelets(http: HttpClient): NodeKubelets {
  return {
    unit: async (node, options) => {
      const request = reading(`read the kubelet's unit of ${node}`, node, 'kubelet', {});
      const { json } = await sendTo(http, node, request, options);
      return checkedAnswer(KubeletUnitAnswer, json, request.what);
    },
    restart: async (node, { cloudProvider, flags, epoch }, options) => {
      const what = `restart the kubelet of ${node}`;
      const { json } = await sendTo(
        http,
        node,
        {
          what,
          method: 'POST',
          path: nodePath(node, 'kubelet'),
          body: { cloudProvider, path: flags.path, expect: flags.hash, epoch },
          safe: false,
        },
        options,
      );
      return checkedAnswer(KubeletRestartAnswer, json, what).outcome;
    },
  };
}

/** Requests of docs/contracts/node-access-api.md that change nothing. */
function reading(
  what: string,
  node: string,
  part: string,
  query: NonNullable<HttpRequest['query']>,
): HttpRequest {
  return { what, method: 'GET', path: nodePath(node, part), query, safe: true };
}

function nodePath(node: string, part: string): string {
  return `/v2/nodes/${pathSegment(node)}/${part}`;
}

/** A 404 about the node itself proves nothing about its files or processes: it is `Unreachable`. */
async function sendTo(
  http: HttpClient,
  node: string,
  request: HttpRequest,
  options?: CallOptions,
): Promise<HttpAnswer> {
  try {
    return await http.send(request, options);
  } catch (error) {
    const { status, kind } = failureDetailsOf(error);
    if (status !== 404 || kind !== 'nodes') throw error;
    throw failure('Unreachable', `${request.what}: node ${node} is unknown`, {
      details: { status },
    });
  }
}

const Elections = z.string().nullable();

/** Answer of `GET …/snapshot`, docs/contracts/node-access-api.md. */
export const SnapshotAnswer = z.object({
  host: HostAnswer,
  files: z.array(z.union([FileAnswer, z.object({ path: z.string(), content: z.null() })])),
  directories: z.array(z.object({ path: z.string(), items: DirectoryItems })),
  elections: z.object({ kcm: Elections, ccm: Elections }),
});

/** Everything requested, and consistent in itself: a missing part is never taken for an absent file. */
function snapshotOf(
  what: string,
  answer: z.infer<typeof SnapshotAnswer>,
  wanted: NodeRequest,
): NodeSnapshot {
  const files = new Map<string, NodeFile | null>();
  for (const file of answer.files) {
    if (file.content === null) files.set(file.path, null);
    else files.set(file.path, checkedFile(what, file));
  }
  const directories = new Map(answer.directories.map(({ path, items }) => [path, items]));
  const missing = [
    ...wanted.files.filter((path) => !files.has(path)),
    ...wanted.directories.filter((path) => !directories.has(path)),
  ];
  if (missing.length > 0) {
    throw failure('Unavailable', `${what}: the answer does not mention ${missing.join(', ')}`);
  }
  return { host: answer.host, files, directories, elections: answer.elections };
}

/** A file whose hash is that of its content. */
function checkedFile(what: string, file: z.infer<typeof FileAnswer>): NodeFile {
  if (nativeDigest(file.content) === file.hash) return file;
  throw failure('Unavailable', `${what}: the hash of ${file.path} does not match its content`);
}
