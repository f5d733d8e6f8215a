import { describe, expect, it, jest } from '@jest/globals';
import { seenHost } from '../../../../activities/adapters/ssh/host-answer.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import { KUBELET_FLAGS } from '../../../../activities/node-paths.js';
import { providerFlag } from '../../../../activities/observe/kubelet-flags.js';
import type { KubeletOrder } from '../../../../activities/ports.js';
import { digestText } from '../../../../domain/digest.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode } from './over-ssh.js';

// A restart that hangs is given up after 20 s.
jest.setTimeout(90_000);

const FLAGS = 'KUBELET_KUBEADM_ARGS="--cloud-provider=external"\n';

/** What systemd's own systemctl would print; `$mode` is the subject of the story. */
const SYSTEMCTL = `#!/bin/sh
mode=$(cat /run/mode)
case $mode:$* in
  none:*) echo 'System has not been booted with systemd as init system (PID 1). Can'"'"'t operate.' >&2; exit 1 ;;
  absent:*show*) printf 'LoadState=not-found\\nActiveState=inactive\\nSubState=dead\\nResult=success\\n' ;;
  foreign:*show*) printf 'LoadState=loaded\\nEnvironmentFiles=/etc/other (ignore_errors=no)\\n' ;;
  *:*show*)
    printf 'LoadState=loaded\\nActiveState=failed\\nSubState=failed\\nResult=exit-code\\n'
    printf 'EnvironmentFiles=${KUBELET_FLAGS} (ignore_errors=yes)\\n'
    printf 'EnvironmentFiles=/etc/default/kubelet (ignore_errors=yes)\\n' ;;
  hangs:*restart*) exec sleep 86511 ;;
  fails:*restart*) echo 'Job for kubelet.service failed.' >&2; exit 1 ;;
  *:*) echo "$mode $*" >>/run/asked ;;
esac
`;

const prepare = `
mkdir -p "$folder/over/bin/upper" "$folder/over/bin/work" /var/lib/kubelet /run/evil
mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$folder/over/bin/upper,workdir=$folder/over/bin/work" /usr/bin
rm -f /usr/bin/systemctl
cat >/usr/bin/systemctl <<'SCRIPT'
${SYSTEMCTL}SCRIPT
printf '#!/bin/sh\\ntouch /run/evil/was-here\\n' >/run/evil/systemctl
chmod 0755 /usr/bin/systemctl /run/evil/systemctl
printf '%s' '${FLAGS}' >${KUBELET_FLAGS}
`;

/** One kubelet of the node, one of a cluster in a container, and some processes that only mention it. */
const start = `
(exec -a /usr/bin/kubelet sleep 86501) &
(unshare --pid --fork --mount-proc bash -c 'exec -a /usr/bin/kubelet sleep 86502') &
(exec -a 'tail kubelet' sleep 86503) &
(exec -a kubelet-exporter sleep 86504) &
`;

const config = ['SetEnv PATH=/run/evil:/usr/sbin:/usr/bin:/sbin:/bin'];

onSshNode('kubelet access over SSH', { prepare, start, config }, ({ node, open }) => {
  const on = (shell: string): string => node().onNode(shell).trim();
  const mode = (name: string): string => on(`echo ${name} >/run/mode`);
  const order: KubeletOrder = {
    cloudProvider: 'external',
    flags: { path: KUBELET_FLAGS, hash: digestText(FLAGS) },
    epoch: 3,
  };
  const refused = async (name: string): Promise<unknown> => {
    mode(name);
    return failureOf(open().kubelets.restart(NODE, order));
  };

  it('identifies the node’s own kubelet by its program, and none in a container', async () => {
    const { kubelets } = await open().processes.host(NODE);
    expect(kubelets.map(({ arguments: words }) => words)).toEqual([['86501']]);
    expect(kubelets[0]?.startTicks).toBeGreaterThan(0);
  });

  it.each([
    ['none', 'no service manager that we know'],
    ['absent', 'not a unit as kubeadm makes it'],
    ['foreign', `does not come from ${KUBELET_FLAGS}`],
  ])('restarts nothing where the unit is not kubeadm’s: %s', async (name, said) => {
    const failed = await refused(name);
    expect(failureTypeOf(failed)).toBe('NotSupported');
    expect(String(failed)).toContain(said);
    expect(on('cat /run/asked 2>/dev/null || echo nothing')).toBe('nothing');
  });

  it('reports a restart that failed or did not end as an unknown outcome', async () => {
    const failed = await refused('fails');
    expect(failureTypeOf(failed)).toBe('Unavailable');
    expect(String(failed)).toContain('Job for kubelet.service failed.');
    expect(failureTypeOf(await refused('hangs'))).toBe('Unavailable');
    expect(on("pgrep -f '[ ]86511$' || echo gone")).toBe('gone');
  });

  it('uses the service manager of the node’s own folders, whatever the login’s PATH is', async () => {
    mode('well');
    expect(await open().kubelets.restart(NODE, order)).toBe('restarted');
    expect(on('cat /run/asked')).toMatch(/^well .*restart kubelet\.service$/);
    expect(on('ls /run/evil')).toBe('systemctl');
  });

  it('reports the state of the unit, and which files its arguments come from', async () => {
    mode('well');
    expect(await open().kubelets.unit(NODE)).toEqual({
      state: 'failed (failed), exit-code',
      environmentFiles: [KUBELET_FLAGS, '/etc/default/kubelet'],
    });
  });
});

describe("a host's report about kubelets", () => {
  const HOST = `host ${Buffer.from('w').toString('base64')} 464c5db7-a002-432c-a24f-3b504b6d7ca5 -70 30 1795293174521404466 100.50`;
  const line = (pid: number, parent: number, ...words: readonly string[]): string => {
    const text = ['/usr/bin/kubelet', ...words].map((word) => `${word}\0`).join('');
    return `kubelet ${String(pid)} ${String(parent)} 500 ${Buffer.from(text).toString('base64')}`;
  };

  it('ignores the child of a kubelet that is about to become another program', () => {
    const lines = [HOST, line(70, 1, '--cloud-provider=external'), line(71, 70, '--v=2')];
    const { kubelets, processes } = seenHost('x', lines).host;
    expect(kubelets.map(({ pid }) => pid)).toEqual([70]);
    expect(kubelets.map(providerFlag)).toEqual(['external']);
    expect(processes).toEqual([]);
  });

  it("a host's report about kubelets is parsed as a whole or not at all", () => {
    expect(() => seenHost('x', [HOST, 'kubelet 1 2 x'])).toThrow('not as expected');
  });
});
