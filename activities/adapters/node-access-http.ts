import { z } from 'zod';
import { digestText } from '../../domain/digest.js';
import { failure, failureDetailsOf } from '../failures.js';
import type {
  CallOptions,
  HostState,
  NodeFile,
  NodeFiles,
  NodeProcesses,
  WriteGuard,
} from '../ports.js';
import type { ReasonTypes } from './answer-failure.js';
import { answered } from './contract-answer.js';
import { DirectoryItems, FileAnswer, Hash, HostAnswer } from './node-answers.js';
import { checkedFile, snapshotOf, SnapshotAnswer } from './node-snapshot.js';
import type { HttpClient, HttpRequest } from './http.js';
import { nodePath, reading, sendTo } from './node-request.js';

/** Reasons of docs/contracts/node-access-api.md. */
export const NODE_ACCESS_REASONS: ReasonTypes = {
  StaleEpoch: 'FenceLost',
  Conflict: 'ForeignEdit',
  NodeUnreachable: 'Unreachable',
  NoKubeletUnit: 'NotSupported',
  ForeignCluster: 'ForeignNode',
};

const DirectoryAnswer = z.object({ items: DirectoryItems });
const WriteAnswer = z.object({ hash: Hash });

export function createNodeFiles(http: HttpClient): NodeFiles {
  return {
    list: async (node, directory, options) => {
      const request = reading(`list ${node}:${directory}`, node, 'files', { directory });
      const { json } = await sendTo(http, node, request, options);
      return answered(DirectoryAnswer, json, request.what).items;
    },
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
    snapshot: async (node, wish, options) => {
      const { files: path, directories: directory } = wish;
      const request = reading(`inspect ${node}`, node, 'snapshot', { path, directory });
      const { json } = await sendTo(http, node, { ...request, answer: 'list' }, options);
      return snapshotOf(request.what, answered(SnapshotAnswer, json, request.what), wish);
    },
    host: async (node, options): Promise<HostState> => {
      const request = reading(`read processes of ${node}`, node, 'host', {});
      const { json } = await sendTo(http, node, request, options);
      return answered(HostAnswer, json, request.what);
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
    kill: async (node, pid, { epoch }, options) => {
      const request: HttpRequest = {
        what: `end process ${String(pid)} of ${node}`,
        method: 'POST',
        path: nodePath(node, 'kill'),
        body: { pid, epoch },
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
  const file = answered(FileAnswer, answer.json, request.what);
  if (file.path === path) return checkedFile(request.what, file);
  throw failure('Unavailable', `${request.what}: the answer is about ${file.path}`);
}

async function writeFile(
  http: HttpClient,
  node: string,
  path: string,
  content: string,
  { expect, epoch }: WriteGuard,
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
      body: { content, expect, epoch },
      safe: false,
    },
    options,
  );
  if (answered(WriteAnswer, json, what).hash !== digestText(content)) {
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
