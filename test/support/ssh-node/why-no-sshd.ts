import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isLabWanted } from '../../testbed/lab/wanted.js';

/** Why no node with a real sshd can be started on this machine; null when one can. */
export function whyNoSshNode(): string | null {
  if (!isLabWanted) return 'only in the suite of the lab: npm run test:lab';
  if (process.platform !== 'linux') return 'not Linux';
  if (process.getuid?.() !== 0) return 'not root';
  if (!existsSync('/usr/sbin/sshd')) return 'no /usr/sbin/sshd (Debian: openssh-server)';
  const tried = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', OVERLAY], { encoding: 'utf8' });
  return tried.status === 0 ? null : `no namespaces or no overlay: ${tried.stderr.trim()}`;
}

export const NAMESPACES = [
  ...['--mount', '--pid', '--uts', '--fork', '--mount-proc', '--kill-child'],
  ...['--propagation', 'private', '--time', '--boottime', '-600'],
];

const OVERLAY =
  'mount -t tmpfs t /tmp && mkdir /tmp/u /tmp/w && mount -t overlay o -o lowerdir=/etc,upperdir=/tmp/u,workdir=/tmp/w /etc';
