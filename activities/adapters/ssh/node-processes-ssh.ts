import type { Manager } from '../../../domain/vocabulary.js';
import type { NodeProcesses, NodeSnapshot, NodeWish } from '../../ports.js';
import type { Deadline } from '../deadline.js';
import { mustHave, seenFiles } from './file-answers.js';
import type { SeenHost } from './host-answer.js';
import { seenHost } from './host-answer.js';
import type { ManagerMetrics } from './manager-metrics.js';
import type { NodeShell } from './node-shell.js';
import { brokenAnswer } from './remote-answer.js';
import { plainPath, wholeNumber } from './remote-request.js';

/** Processes of nodes by remote commands: docs/node-access-ssh.md. */
export function createSshNodeProcesses(shell: NodeShell, metrics: ManagerMetrics): NodeProcesses {
  const look = async (node: string, what: string, deadline: Deadline): Promise<SeenHost> => {
    const question = { node, what, safe: true, calls: [['look_host']] } as const;
    return seenHost(what, await shell.askWithin(question, deadline));
  };
  return {
    snapshot: (node, wish, options) => {
      const what = `inspect ${node}`;
      return shell.within(what, options, (deadline) =>
        snapshot(shell, metrics, { node, what, wish }, deadline),
      );
    },
    host: (node, options) => {
      const what = `read processes of ${node}`;
      return shell.within(what, options, async (deadline) => {
        const { host } = await look(node, what, deadline);
        return host;
      });
    },
    metrics: (node, manager, options) => {
      const what = `read metrics of ${manager} on ${node}`;
      return shell.within(what, options, async (deadline) =>
        metrics.read(what, node, manager, await look(node, what, deadline), deadline),
      );
    },
    kill: async (node, pid, { epoch }, options) => {
      const what = `end process ${String(pid)} of ${node}`;
      const words = [wholeNumber(pid, 'process'), wholeNumber(epoch, 'epoch')] as const;
      const calls = [['end_process', ...words]] as const;
      const lines = await shell.ask({ node, what, safe: false, calls }, options);
      if (!lines.includes('ended')) throw brokenAnswer(what);
    },
  };
}

interface Look {
  readonly node: string;
  readonly what: string;
  readonly wish: NodeWish;
}

async function snapshot(
  shell: NodeShell,
  metrics: ManagerMetrics,
  { node, what, wish }: Look,
  deadline: Deadline,
): Promise<NodeSnapshot> {
  const lines = await shell.askWithin(
    {
      node,
      what,
      safe: true,
      calls: [
        ['look_host'],
        ...wish.files.map((path) => ['read_file', plainPath(path)] as const),
        ...wish.directories.map((path) => ['list_folder', plainPath(path)] as const),
      ],
    },
    deadline,
  );
  const seen = seenHost(what, lines);
  const { files, folders } = seenFiles(what, lines);
  const elections = (manager: Manager): Promise<string | null> =>
    metrics.elections(what, node, manager, seen, deadline);
  const [kcm, ccm] = await Promise.all([elections('kcm'), elections('ccm')]);
  return {
    host: seen.host,
    files: new Map(wish.files.map((path) => [path, mustHave(what, files, path)])),
    directories: new Map(wish.directories.map((path) => [path, mustHave(what, folders, path)])),
    elections: { kcm, ccm },
  };
}
