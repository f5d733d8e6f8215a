import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { electionsOf } from '../../../../activities/adapters/ssh/elections-of-host.js';
import type { HostProcess, HostState } from '../../../../activities/ports.js';

const KCM: HostProcess = {
  ...{ pid: 7, manager: 'kcm', startTicks: 100, startedAtMs: 1000, arguments: [], paused: false },
};
const CCM: HostProcess = { ...KCM, pid: 8, manager: 'ccm' };

function hostWith(...processes: readonly HostProcess[]): HostState {
  const boot = { hostname: 'cp-1', bootId: 'b', bootTimeMs: 0, nowMs: 2000 };
  return { ...boot, processes, kubelets: [] };
}

/** Of a page that hangs for as long as one may. */
const HUNG = 2_000;
const LATE = 700;

interface Case {
  readonly kcm?: () => Promise<string | null>;
  readonly now?: () => Promise<HostState>;
}

async function read({
  kcm = () => delay(HUNG, null, { ref: false }),
  now = () => Promise.resolve(hostWith()),
}: Case) {
  let readings = 0;
  const roles = await electionsOf(
    { host: hostWith(KCM, CCM), listeners: [] },
    {
      elections: (manager) => (manager === 'kcm' ? kcm() : Promise.resolve('ccm 1')),
      readAgain: () => {
        readings += 1;
        return now();
      },
    },
  );
  return { ...roles, readings };
}

describe('a manager’s page beside the host', () => {
  it('the host is read once where every page answers', async () => {
    const { elections, readings, host } = await read({ kcm: () => Promise.resolve('kcm 1') });
    expect(elections).toEqual({ kcm: 'kcm 1', ccm: 'ccm 1' });
    expect(readings).toBe(0);
    expect(host.processes).toEqual([KCM, CCM]);
  });

  it('a process that was stopped meanwhile is told at once, and the other one’s page counts', async () => {
    const now = hostWith({ ...KCM, paused: true }, CCM);
    const { elections, host } = await read({ now: () => Promise.resolve(now) });
    expect(elections).toEqual({ kcm: null, ccm: 'ccm 1' });
    expect(host.processes).toEqual([{ ...KCM, paused: true }, CCM]);
  });

  const late = (): Promise<string> => delay(LATE, 'kcm 1');
  it.each<readonly [string, () => Promise<HostState>]>([
    ['the process runs and is slow', () => Promise.resolve(hostWith(KCM, CCM))],
    ['the host cannot be read again', () => Promise.reject(new Error('away'))],
  ])('a late page is awaited where %s', async (_name, now) => {
    const { elections, host } = await read({ kcm: late, now });
    expect(elections.kcm).toBe('kcm 1');
    expect(host.processes).toEqual([KCM, CCM]);
  });

  it.each<readonly [string, Partial<HostProcess>]>([
    ['another process', { pid: 9 }],
    ['a later one with its number', { startTicks: 900 }],
  ])('of the second reading %s is not taken for the first', async (_name, other) => {
    const now = hostWith({ ...KCM, ...other, paused: true });
    const { elections, host } = await read({ kcm: late, now: () => Promise.resolve(now) });
    expect(host.processes).toEqual([KCM, CCM]);
    // Whichever holds the port: one that is stopped answers nothing.
    expect(elections.kcm).toBeNull();
  });
});
