import type { KubeletUnit, NodeKubelets } from '../../ports.js';
import type { NodeShell } from './node-shell.js';
import { brokenAnswer, sentText } from './remote-answer.js';
import { plainPath, wholeNumber } from './remote-request.js';

/** Longer than a unit's stop and start, and than the node's own limit for them. */
const RESTART_MS = 40_000;

/** Kubelets of nodes as systemd's services, by remote commands: docs/node-access-ssh.md. */
export function createSshNodeKubelets(shell: NodeShell): NodeKubelets {
  return {
    unit: async (node, options) => {
      const what = `read the kubelet's unit of ${node}`;
      const question = { node, what, safe: true, calls: [['look_unit']] } as const;
      return unitOf(what, await shell.ask(question, options));
    },
    restart: async (node, { cloudProvider, flags, epoch }, options) => {
      const what = `restart the kubelet of ${node}`;
      const words = [plainPath(flags.path), flags.hash, wholeNumber(epoch, 'epoch')] as const;
      const calls = [['restart_kubelet', cloudProvider, ...words]] as const;
      const timeoutMs = Math.max(RESTART_MS, options?.timeoutMs ?? 0);
      const lines = await shell.ask({ node, what, safe: false, calls }, { ...options, timeoutMs });
      if (lines.includes('kubelet restarted')) return 'restarted';
      if (lines.includes('kubelet runsSo')) return 'runsSo';
      throw brokenAnswer(what);
    },
  };
}

/** Lines of `systemctl show`; a property that may be there more than once has a line for each. */
function unitOf(what: string, lines: readonly string[]): KubeletUnit {
  const told = lines.find((line) => line.startsWith('unit '));
  if (told === undefined) throw brokenAnswer(what);
  const properties = sentText(told.slice('unit '.length))
    .split('\n')
    .map((line) => /^(\w+)=(.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ name: match[1] ?? '', value: match[2] ?? '' }]));
  const first = (name: string): string =>
    properties.find((property) => property.name === name)?.value ?? 'unknown';
  const result = first('Result');
  return {
    state: `${first('ActiveState')} (${first('SubState')})${result === 'success' ? '' : `, ${result}`}`,
    environmentFiles: properties
      .filter(({ name }) => name === 'EnvironmentFiles')
      .map(({ value }) => value.replace(/ \(ignore_errors=(yes|no)\)$/, '')),
  };
}
