import { describe, expect, it } from '@jest/globals';
import { seenHost } from '../../../../activities/adapters/ssh/host-answer.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import { eventually } from '../../../contract/eventually.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode } from './over-ssh.js';

/** Number of ptrace(2) among the system calls of this machine. */
const PTRACE = process.arch === 'arm64' ? 117 : 101;

/** Attaches to a process with PTRACE_ATTACH (16) and stays; perl passes a number as itself, and a text by its address. */
const TRACER = `perl -e 'syscall(${String(PTRACE)}, 16, 0 + $ARGV[0], 0, 0) == 0 or die; sleep 60'`;

/** Programs that are managers by file name or by first argument, and some that only mention one. */
const start = `
cp "$(command -v sleep)" /run/kube-controller-manager
cp "$(command -v sleep)" /run/kube-controllers
cp "$(command -v sleep)" /run/aws-cloud-controller-manager
/run/kube-controller-manager 86401 &
(exec -a renamed /run/aws-cloud-controller-manager 86402) &
(exec -a /usr/bin/cloud-controller-manager sleep 86403) &
/run/kube-controllers 86404 &
(exec -a 'sh -c kube-controller-manager' sleep 86405) &
(exec -a kube-controller-manager.bak sleep 86406) &
(trap '' TERM; exec -a 'tail kube-controller-manager' sleep 86407) &
`;

onSshNode('process access over SSH', { start }, ({ node, open }) => {
  const on = (shell: string): string => node().onNode(shell).trim();
  const pidOf = (seconds: number): number => Number(on(`pgrep -f '[ ]${seconds}$'`));

  it('identifies managers by their program or their first argument, whatever the other is', async () => {
    const { processes } = open();
    const { processes: seen } = await processes.host(NODE);
    const told = seen.map(({ manager, arguments: words, paused }) => [manager, words, paused]);
    expect(told).toHaveLength(3);
    expect(told).toEqual(
      expect.arrayContaining([
        ['kcm', ['86401'], false],
        ['ccm', ['86402'], false],
        ['ccm', ['86403'], false],
      ]),
    );
  });

  it('dates boot and starts by the node’s own clock, from its first process', async () => {
    const before = Date.now();
    on('/run/kube-controller-manager 86411 >/dev/null 2>&1 &');
    const host = await open().processes.host(NODE);
    const late = host.processes.find(({ arguments: words }) => words[0] === '86411');
    // Ticks are 10 ms, and so is the resolution of /proc/uptime.
    expect(late?.startedAtMs).toBeGreaterThanOrEqual(before - 30);
    expect(late?.startedAtMs).toBeLessThanOrEqual(Date.now() + 30);
    expect(host.bootTimeMs).toBeLessThan(before);
    // From outside the node's time namespace: in the kernel's own time.
    const first = on('cut -d" " -f22 /proc/1/stat');
    expect(host.bootId).toBe(`${on('cat /proc/sys/kernel/random/boot_id')}/${first}`);
    on('pkill -f "[ ]86411$"');
  });

  it('reports that a process is stopped', async () => {
    on(`kill -STOP ${pidOf(86_401)}`);
    const { processes: seen } = await open().processes.host(NODE);
    expect(seen.filter(({ paused }) => paused).map(({ pid }) => pid)).toEqual([pidOf(86_401)]);
  });

  it('ignores a dead process that was not yet reaped', async () => {
    const child =
      'cp /bin/sleep /run/cloud-controller-manager; /run/cloud-controller-manager 86421';
    on(`(bash -c '${child} & exec sleep 86422') >/dev/null 2>&1 &`);
    const zombie = await eventually(10_000, async () => pidOf(86_421) || null);
    const { processes } = open();
    const before = await processes.host(NODE);
    expect(before.processes.map(({ pid }) => pid)).toContain(zombie);
    on(`kill -KILL ${zombie}`);
    await eventually(10_000, async () =>
      on(`cut -d' ' -f3 /proc/${zombie}/stat`) === 'Z' ? true : null,
    );
    const after = await processes.host(NODE);
    expect(after.processes.map(({ pid }) => pid)).not.toContain(zombie);
    on(`kill ${pidOf(86_422)}`);
  });

  /** Its start by the node's clock, as the product reads it: from outside the node's time namespace it is in the kernel's own time. */
  const named = async (seconds: number): Promise<{ pid: number; startTicks: number }> => {
    const ticksOf = (pid: number): number => Number(on(`cut -d' ' -f22 /proc/${pid}/stat`));
    const [known] = (await open().processes.host(NODE)).processes;
    if (known?.startTicks === undefined)
      throw new Error('the host shows no manager with its start');
    const pid = pidOf(seconds);
    return { pid, startTicks: ticksOf(pid) - ticksOf(known.pid) + Number(known.startTicks) };
  };
  const typeOf = async (attempt: Promise<unknown>): Promise<unknown> =>
    failureTypeOf(await failureOf(attempt));

  it('ends managers only, and only those that a signal has stopped', async () => {
    const { processes } = open();
    on(`kill -STOP ${pidOf(86_401)} ${pidOf(86_407)}`);
    const [stopped, runs] = [await named(86_401), await named(86_402)];
    const bystander = await named(86_407);
    expect(await typeOf(processes.kill(NODE, bystander, { epoch: 3 }))).toBe('PreconditionFailed');
    expect(await typeOf(processes.kill(NODE, runs, { epoch: 3 }))).toBe('PreconditionFailed');
    expect(pidOf(86_402)).toBe(runs.pid);
    expect(pidOf(86_407)).toBe(bystander.pid);
    const successor = { ...stopped, startTicks: stopped.startTicks + 1 };
    await processes.kill(NODE, successor, { epoch: 3 });
    expect(pidOf(86_401)).toBe(stopped.pid);
    expect(await typeOf(processes.kill(NODE, stopped, { epoch: 2 }))).toBe('FenceLost');
    expect(pidOf(86_401)).toBe(stopped.pid);
    await processes.kill(NODE, stopped, { epoch: 3 });
    expect(on(`pgrep -f '[ ]86401$' || echo gone`)).toBe('gone');
  });

  it('ends no manager that a tracer holds', async () => {
    const { processes } = open();
    // Its sh may be one without `exec -a`.
    on("bash -c 'exec -a kube-controller-manager sleep 86431' >/dev/null 2>&1 &");
    await eventually(10_000, async () => on(`pgrep -f '[ ]86431$' || true`) || null);
    const traced = await named(86_431);
    on(`${TRACER} ${traced.pid} >/dev/null 2>&1 &`);
    await eventually(10_000, async () =>
      on(`cut -d' ' -f3 /proc/${traced.pid}/stat`) === 't' ? true : null,
    );
    expect(await typeOf(processes.kill(NODE, traced, { epoch: 3 }))).toBe('NotSupported');
    expect(pidOf(86_431)).toBe(traced.pid);
    on('pkill perl; pkill -f "[ ]86431$"');
  });

  it('treats only whole numbers as a process', async () => {
    for (const wrong of [-1, 1.5, Number.NaN]) {
      for (const process of [
        { pid: wrong, startTicks: 1 },
        { pid: 1, startTicks: wrong },
      ]) {
        const kill = open().processes.kill(NODE, process, { epoch: 3 });
        expect(await typeOf(kill)).toBe('InvalidInput');
      }
    }
  });
});

describe("a host's report about managers", () => {
  const HOST = `host ${Buffer.from('cp-1').toString('base64')} 464c5db7-a002-432c-a24f-3b504b6d7ca5 -70 30 1795293174521404466 100.50`;

  it("a host's report about managers is parsed as a whole or not at all", () => {
    expect(seenHost('x', [HOST]).host.nowMs).toBe(1_795_293_174_521);
    for (const lines of [[], [HOST.slice(0, -3)], [HOST, 'process 1 kcm S x y']]) {
      expect(() => seenHost('x', lines)).toThrow('not as expected');
    }
  });

  it("a host's report shows where listeners are reached from the node itself", () => {
    const listeners = [
      '0100007F',
      '00000000',
      '0B014D0A',
      '0'.repeat(32),
      `${'0'.repeat(24)}01000000`,
    ].map((address) => `listener ${address}:2811 0`);
    const { listeners: seen } = seenHost('x', [HOST, ...listeners, 'listener FE80:2811 0']);
    expect(seen.map(({ address }) => address)).toEqual([
      '127.0.0.1',
      '127.0.0.1',
      '10.77.1.11',
      '127.0.0.1',
      '::1',
    ]);
    expect(seen[0]).toEqual({ address: '127.0.0.1', port: 10_257, uid: 0 });
  });
});
