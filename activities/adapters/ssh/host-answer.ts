import type { HostProcess, HostState, KubeletProcess } from '../../ports.js';
import { MOST_ARGUMENTS } from '../machines/node-access-http.js';
import { brokenAnswer, sentText } from './remote-answer.js';

/** A listening socket of the node and the user it belongs to. */
export interface Listener {
  /** As a client on the node itself addresses it. */
  readonly address: string;
  readonly port: number;
  readonly uid: number;
}

export interface SeenHost {
  readonly host: HostState;
  readonly listeners: readonly Listener[];
}

/** Ticks of /proc are 1/100 s on every architecture that Kubernetes runs on: USER_HZ, include/uapi/asm-generic/param.h. */
const MS_PER_TICK = 10;

/**
 * The host as /proc shows it. The kernel's boot id *and* the start of process 1 identify a boot: a node that is a container
 * or a PID namespace restarts without its kernel. That start is in the kernel's own time, because a time namespace starts
 * near zero each time. Start times count from the kernel's boot, computed as clock minus uptime: `btime` of /proc/stat is the
 * same, truncated to whole seconds.
 */
export function seenHost(what: string, lines: readonly string[]): SeenHost {
  const told = lines.find((line) => line.startsWith('host '));
  const match = /^host (\S+) ([0-9a-f-]{36}) (-?\d+) (\d+) (\d{19}) (\d+)\.(\d\d)$/.exec(
    told ?? '',
  );
  if (match === null) throw brokenAnswer(what);
  const [, hostname = '', bootId = '', born = '', first = '', now = '', ...uptime] = match;
  const [seconds = '', hundredths = ''] = uptime;
  const nowMs = Number(BigInt(now) / 1_000_000n);
  const kernelBootMs = nowMs - (Number(seconds) * 1000 + Number(hundredths) * 10);
  const startedAtMs = (ticks: string): number => kernelBootMs + Number(ticks) * MS_PER_TICK;
  return {
    host: {
      hostname: sentText(hostname),
      bootId: `${bootId}/${born}`,
      bootTimeMs: startedAtMs(first),
      nowMs,
      processes: lines.flatMap((line) => processOf(what, line, startedAtMs)),
      kubelets: kubeletsOf(what, lines, startedAtMs),
    },
    listeners: lines.flatMap((line) => listenerOf(line)),
  };
}

function processOf(
  what: string,
  line: string,
  startedAtMs: (ticks: string) => number,
): readonly HostProcess[] {
  if (!line.startsWith('process ')) return [];
  const match = /^process (\d+) (kcm|ccm) (\S) (\d+) (\S*)$/.exec(line);
  if (match === null) throw brokenAnswer(what);
  const [, pid, manager, letter = '', ticks = '', words = ''] = match;
  return [
    {
      pid: Number(pid),
      manager: manager === 'kcm' ? 'kcm' : 'ccm',
      startTicks: Number(ticks),
      startedAtMs: startedAtMs(ticks),
      arguments: argumentsOf(what, words),
      // T: stopped by a signal; t: by a tracer. Either way it continues where it was once it is released.
      paused: letter.toUpperCase() === 'T',
    },
  ];
}

/**
 * A kubelet that forks appears twice for a moment, with a child that has the same arguments: that child does not count.
 */
function kubeletsOf(
  what: string,
  lines: readonly string[],
  startedAtMs: (ticks: string) => number,
): readonly KubeletProcess[] {
  const found = lines
    .filter((line) => line.startsWith('kubelet '))
    .map((line) => {
      const match = /^kubelet (\d+) (\d+) (\d+) (\S*)$/.exec(line);
      if (match === null) throw brokenAnswer(what);
      const [, pid, parent, ticks = '', words = ''] = match;
      const process = {
        pid: Number(pid),
        startTicks: Number(ticks),
        startedAtMs: startedAtMs(ticks),
        arguments: argumentsOf(what, words),
      };
      return { parent: Number(parent), process };
    });
  const pids = new Set(found.map(({ process }) => process.pid));
  return found.flatMap(({ parent, process }) => (pids.has(parent) ? [] : [process]));
}

/** The first argument is the program; each ends with a NUL. */
function argumentsOf(what: string, words: string): readonly string[] {
  const parts = sentText(words).split('\0', MOST_ARGUMENTS + 1);
  if (parts.length > MOST_ARGUMENTS) throw brokenAnswer(what);
  return parts.slice(1, -1);
}

/** Addresses of /proc/net/tcp: hexadecimal, IPv4 in the machine's byte order; any address is reached over loopback. */
function listenerOf(line: string): readonly Listener[] {
  const match = /^listener ([0-9A-F]+):([0-9A-F]{4}) (\d+)$/.exec(line);
  if (match === null) return [];
  const [, hex = '', port = '', uid] = match;
  const address = addressOf(hex);
  return address === null ? [] : [{ address, port: parseInt(port, 16), uid: Number(uid) }];
}

const LOOPBACK = '127.0.0.1';

/** Null for an IPv6 address of the node itself: managers listen on loopback, on any address, or on the node's IPv4. */
function addressOf(hex: string): string | null {
  if (/^0+$/.test(hex) || LOOPBACK_IN_HEX.test(hex)) return LOOPBACK;
  if (LOOPBACK_6_IN_HEX.test(hex)) return '::1';
  if (hex.length !== 8) return null;
  const octets = (hex.match(/../g) ?? []).map((octet) => String(parseInt(octet, 16)));
  return octets.reverse().join('.');
}

/** In either byte order: s390x is big-endian. */
const LOOPBACK_IN_HEX = /^(0100007F|7F000001)$/;
const LOOPBACK_6_IN_HEX = /^0{24}(01000000|00000001)$/;
