/** Guards of node access over SSH; tests on a real sshd must fail without them. These need root and are skipped otherwise. */
const TRUST = 'test/activities/adapters/ssh/trust.test';
const FILES = 'test/activities/adapters/ssh/files.test';
const LOSS = 'test/activities/adapters/ssh/loss.test';
const PROCESSES = 'test/activities/adapters/ssh/processes.test';
const METRICS = 'test/activities/adapters/ssh/metrics.test';
const KUBELETS = 'test/activities/adapters/ssh/kubelets.test';
const CONTRACT = 'test/contract/ssh.test';
const FOREIGN = 'test/activities/adapters/ssh/foreign-cluster.test';
const IDENTITY = 'activities/adapters/ssh/remote-identity.sh';
const KUBELET = 'activities/adapters/ssh/remote-kubelet.sh';
const CONNECT = 'activities/adapters/ssh/open-connection.ts';
const COMMON = 'activities/adapters/ssh/remote-common.sh';
const READ = 'activities/adapters/ssh/remote-read.sh';
const WRITE = 'activities/adapters/ssh/remote-write.sh';

const trust = (only) => ({ tests: [TRUST], only });
const kubelets = (only) => ({ tests: [KUBELETS], only });
const foreign = (only) => ({ tests: [FOREIGN], only });
const files = (only) => ({ tests: [FILES], only });

export const SSH_GUARDS = [
  {
    name: 'ssh: another host key is refused',
    file: CONNECT,
    from: 'return pins.fingerprints.has(fingerprintOf(key));',
    to: 'return true;',
    ...trust('sends nothing to a host with another key'),
  },
  {
    name: 'ssh: a missing host key is refused',
    file: CONNECT,
    from: 'if (pins.fingerprints.size === 0) throw unknownHost(target);',
    to: '',
    ...trust('does not even connect to a host'),
  },
  {
    name: 'ssh: a host key is matched to what the cluster reports about its nodes',
    file: 'activities/adapters/ssh/known-hosts.ts',
    from: '!host.revoked && isMeant(host, [alias])',
    to: '!host.revoked && isMeant(host, [alias, ...others])',
    ...foreign('gets no session by an address'),
  },
  {
    name: 'ssh: a node of another authority is refused',
    file: IDENTITY,
    from: '[ -n "$shared" ] || refuse authority "$authorities"',
    to: ':',
    ...foreign('changes nothing where even the pins are wrong'),
  },
  {
    name: 'ssh: a node that another cluster has written to is refused',
    file: IDENTITY,
    from: '{ [ "${kept%% *}" = "$cluster" ] && [ -n "$common" ]; } || refuse cluster "$kept"',
    to: ':',
    ...foreign('a foreign cluster of the same authority changes nothing'),
  },
  {
    name: 'ssh: the recorded cluster is compared under the lock',
    file: WRITE,
    from: 'admit() {\n  same_cluster\n',
    to: 'admit() {\n',
    ...foreign('wins no race'),
  },
  {
    name: 'ssh: the cluster is recorded with the first write',
    file: WRITE,
    from: '  keep_cluster\n',
    to: '',
    ...foreign('a foreign cluster of the same authority changes nothing'),
  },
  {
    name: 'ssh: every request names the cluster it is for',
    file: 'activities/adapters/ssh/remote-request.ts',
    from: 'const lines = [owner, ...calls]',
    to: 'const lines = [...calls]',
    ...foreign('changes nothing where even the pins are wrong'),
  },
  {
    name: 'ssh: a private key that others can read is refused',
    file: 'activities/adapters/ssh/open-connection.ts',
    from: 'if ((mode & 0o077) !== 0) {',
    to: 'if (mode < 0) {',
    ...trust('refuses a private key that others can read'),
  },
  {
    name: 'ssh: root sees every process',
    file: COMMON,
    from: '[ "$(id -u)" = 0 ] || refuse root "$(id -un)"',
    to: ':',
    ...trust('requires root'),
  },
  {
    name: 'ssh: an older epoch is refused',
    file: WRITE,
    from: '[ "$1" -ge "$seen" ] || {',
    to: 'true || {',
    ...files('lets exactly one of two writers win'),
  },
  {
    name: 'ssh: a newer epoch is stored',
    file: WRITE,
    from: '[ "$1" -eq "$seen" ] || put_file',
    to: 'true || put_file',
    ...files('lets exactly one of two writers win'),
  },
  {
    name: 'ssh: the expected content is compared',
    file: WRITE,
    from: '[ "$present" = "$2" ] || {',
    to: 'true || {',
    ...files('lets exactly one of two writers win'),
  },
  {
    name: 'ssh: one lock covers check and write',
    file: WRITE,
    from: 'flock -w 5 9 || refuse busy',
    to: 'true || refuse busy',
    tests: [LOSS],
    only: 'waits a bounded time for the lock',
  },
  {
    name: 'ssh: a rename stays on its mount',
    file: WRITE,
    from: 'if [ "$inside" = "$mount" ] && [ -n "$1" ]; then',
    to: 'if [ -n "$1" ]; then',
    ...files('changes nothing on a full disk'),
  },
  {
    name: 'ssh: absence is proven',
    file: READ,
    from: "*': No such file or directory') found=absent ;;",
    to: '*) found=absent ;;',
    ...files('does not treat an unreadable path as absent'),
  },
  {
    name: 'ssh: mode and owner are kept',
    file: WRITE,
    from: 'attempt unwritable chown --reference="$1" -- "$temporary"',
    to: '',
    ...files('keeps mode and owner'),
  },
  {
    name: 'ssh: only managers are ended',
    file: 'activities/adapters/ssh/remote-processes.sh',
    from: '[ -n "$manager" ] || refuse awake "process $1 is no manager"',
    to: ':',
    tests: [PROCESSES],
    only: 'ends managers only',
  },
  {
    name: 'ssh: a boot time is read in its time namespace',
    file: 'activities/adapters/ssh/remote-processes.sh',
    from: 'born=$((first - shift_seconds * 100))',
    to: 'born=$first',
    tests: [PROCESSES],
    only: 'dates boot and starts',
  },
  {
    name: 'ssh: only root can read the token',
    file: 'activities/adapters/ssh/manager-metrics.ts',
    from: 'if (uid !== 0) {',
    to: 'if (uid < 0) {',
    tests: [METRICS],
    only: 'a manager receives a certificate and no token',
  },
  {
    name: 'ssh: a lost response is no refusal',
    file: 'activities/adapters/ssh/node-shell.ts',
    from: "const mayRepeat = type === 'Throttled' || (safe && type === 'Unavailable');",
    to: "const mayRepeat = type === 'Throttled' || type === 'Unavailable';",
    tests: [LOSS],
    only: 'reports an unknown outcome when the response is lost',
  },
  {
    name: 'ssh: a kubelet is restarted only if its flags are the written ones',
    file: KUBELET,
    from: '  expect "$2" "$3"\n  if runs_with',
    to: '  if runs_with',
    tests: [CONTRACT],
    only: 'restarts the kubelet for the newest run only',
  },
  {
    name: 'ssh: a kubelet that already runs with the flags is left alone',
    file: KUBELET,
    from: 'if runs_with "$1"; then',
    to: 'if false; then',
    tests: [CONTRACT],
    only: 'NodeKubelets on a real sshd ',
    composed: true,
  },
  {
    name: 'ssh: a restart has a limit',
    file: KUBELET,
    from: 'timeout -k 5 20 systemctl',
    to: 'systemctl',
    ...kubelets('reports a restart that failed or did not end'),
  },
  {
    name: 'ssh: programs are taken from the node’s own folders',
    file: COMMON,
    from: 'PATH=/usr/sbin:/usr/bin:/sbin:/bin\nexport LC_ALL PATH',
    to: 'export LC_ALL',
    ...kubelets('uses the service manager'),
  },
  {
    name: 'ssh: a kubelet in a container is not the node’s',
    file: 'activities/adapters/ssh/remote-processes.sh',
    from: '[ "$(readlink -- "/proc/$1/ns/pid" 2>/dev/null)" = "$(readlink -- /proc/1/ns/pid)" ]',
    to: 'true',
    ...kubelets('identifies the node’s own kubelet'),
  },
  {
    name: 'ssh: a manager that is stopped while its page is read is told by the same read',
    file: 'activities/adapters/ssh/elections-of-host.ts',
    from: 'now?.processes.filter(({ paused }) => paused) ?? []',
    to: 'now?.processes.filter(({ pid }) => pid < 0) ?? []',
    tests: ['test/activities/adapters/ssh/elections-of-host.test'],
    only: 'a process that was stopped meanwhile',
  },
  {
    name: 'ssh: of a second reading only the same process counts',
    file: 'activities/adapters/ssh/elections-of-host.ts',
    from: 'one.manager === other.manager && one.pid === other.pid && one.startTicks === other.startTicks',
    to: 'one.manager === other.manager',
    tests: ['test/activities/adapters/ssh/elections-of-host.test'],
    only: 'of the second reading',
  },
];
