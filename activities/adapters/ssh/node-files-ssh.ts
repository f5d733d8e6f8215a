import { digestText } from '../../../domain/digest.js';
import { failure } from '../../failures.js';
import type { CallOptions, NodeFiles, WriteGuard } from '../../ports.js';
import { mustHave, seenFiles } from './file-answers.js';
import type { NodeShell } from './node-shell.js';
import { brokenAnswer } from './remote-answer.js';
import { plainPath, wholeNumber } from './remote-request.js';

/** The same limit as in the HTTP contract. */
const MAX_CONTENT = 1024 * 1024;

/** Files of nodes by remote commands: docs/node-access-ssh.md. */
export function createSshNodeFiles(shell: NodeShell): NodeFiles {
  return {
    list: async (node, directory, options) => {
      const what = `list ${node}:${directory}`;
      const calls = [['list_folder', plainPath(directory)]] as const;
      const lines = await shell.ask({ node, what, safe: true, calls }, options);
      return mustHave(what, seenFiles(what, lines).folders, directory);
    },
    read: async (node, path, options) => {
      const what = `read ${node}:${path}`;
      const calls = [['read_file', plainPath(path)]] as const;
      const lines = await shell.ask({ node, what, safe: true, calls }, options);
      return mustHave(what, seenFiles(what, lines).files, path);
    },
    write: (node, path, content, guard, options) =>
      writeFile(shell, { node, path, content, guard }, options),
    remove: async (node, path, { expect, epoch }, options) => {
      const what = `remove ${node}:${path}`;
      const words = [plainPath(path), expect, wholeNumber(epoch, 'epoch')] as const;
      const calls = [['remove_file', ...words]] as const;
      const lines = await shell.ask({ node, what, safe: false, calls }, options);
      if (!lines.includes('removed')) throw brokenAnswer(what);
    },
  };
}

interface Write {
  readonly node: string;
  readonly path: string;
  readonly content: string;
  readonly guard: WriteGuard;
}

async function writeFile(
  shell: NodeShell,
  { node, path, content, guard }: Write,
  options?: CallOptions,
): Promise<void> {
  const what = `write ${node}:${path}`;
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > MAX_CONTENT) throw failure('InvalidInput', `${what}: longer than 1 MiB`);
  const hash = digestText(content);
  const words = [plainPath(path), guard.expect, wholeNumber(guard.epoch, 'epoch'), hash] as const;
  const calls = [['write_file', ...words, bytes.toString('base64')]] as const;
  const lines = await shell.ask({ node, what, safe: false, calls }, options);
  if (!lines.includes(`written ${hash}`)) throw brokenAnswer(what);
}
