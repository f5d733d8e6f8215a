import { describe, expect, it } from '@jest/globals';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Cli } from '../../../cli/cli.js';
import { optionReader } from '../../../cli/cli.js';
import type { Ready } from '../../../cli/plan/agreed-plan.js';
import { sayDetached } from '../../../cli/runs/detached.js';
import { refuseOpenRun, showStarted } from '../../../cli/runs/start-run.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal.js';
import { invocationOf, nextOf } from '../typed-line.js';

const NAMES = ['sim-1', "it's $(reboot); reboot"];
const FLAGS = { address: '10.0.0.1:7233', namespace: 'fleet a', stateDir: "/srv/it's" };

function cliWith(terminal: FakeTerminal, options: object, output: 'text' | 'json' = 'text'): Cli {
  return {
    ...{ terminal, output, env: {}, arguments: [], typed: [] },
    theme: createTheme({ color: false, ascii: false }),
    signal: new AbortController().signal,
    options: optionReader({ ...options }),
  };
}

function started(cli: Cli, name: string): void {
  const plan = { cluster: { name }, target: 'ccm' };
  showStarted(cli, { plan } as Ready, { workflowId: 'cluster-migration/u', runId: 'r' });
}

describe('a saved plan of a cluster', () => {
  const cluster = { name: 'sim-1', uid: 'u-1' };
  const serverWith = (describe: () => object): Client =>
    ({
      workflow: { getHandle: () => ({ describe: async () => describe() }) },
    }) as unknown as Client;

  it('is not compared with a cluster that an open run changes: that run is named', async () => {
    const client = serverWith(() => ({ status: { name: 'RUNNING' } }));
    await expect(
      refuseOpenRun(client, cluster, optionReader({ stateDir: 'lab' })),
    ).rejects.toMatchObject({
      code: 'CCM4003',
      message: 'sim-1: a run is open already (cluster-migration/u-1)',
      fix: expect.stringContaining('ccm-migrate status sim-1 -w --state-dir lab`'),
    });
  });

  it.each<[string, () => object]>([
    ['has ended', () => ({ status: { name: 'COMPLETED' } })],
    [
      'never was',
      () => {
        throw new WorkflowNotFoundError('none', 'cluster-migration/u-1', undefined);
      },
    ],
  ])('goes on where the last run %s', async (_case, describes) => {
    await expect(
      refuseOpenRun(serverWith(describes), cluster, optionReader({})),
    ).resolves.toBeUndefined();
  });
});

describe('each Next line of apply', () => {
  it.each(NAMES)(
    'the Next line can be typed verbatim and names the server of the flags: %s',
    async (name) => {
      for (const options of [{}, FLAGS]) {
        const terminal = fakeTerminal();
        const cli = cliWith(terminal, options);
        started(cli, name);
        sayDetached(cli, name);
        for (const said of [terminal.stdout(), terminal.stderr()]) {
          const meant = await invocationOf(nextOf(said));
          expect(meant?.verb.name).toBe('status');
          expect(meant?.arguments).toEqual([name]);
          expect(meant?.options).toMatchObject({ watch: true, ...options });
        }
      }
    },
  );

  it('machine output has the same next command', async () => {
    const terminal = fakeTerminal();
    started(cliWith(terminal, FLAGS, 'json'), 'sim-1');
    const meant = await invocationOf(JSON.parse(terminal.stdout()).next);
    expect(meant?.options).toMatchObject({ watch: true, ...FLAGS });
  });
});
