import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Client, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import type { Cli } from '../../../cli/cli.js';
import { optionReader } from '../../../cli/cli.js';
import { followFleet } from '../../../cli/screens/follow-fleet.js';
import { patientReads } from '../../../cli/runs/patient-reads.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { encodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import { GivenFleet, rowPlans } from '../../domain/fleet/given-fleet.js';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal.js';

let nowMs = 1_042_000;
beforeEach(() => {
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const away = (): never => {
  throw new ServiceError('14 UNAVAILABLE');
};

function cliOf(terminal: FakeTerminal, signal: AbortSignal): Cli {
  return {
    ...{ terminal, theme: createTheme({ color: false, ascii: false }), output: 'text', env: {} },
    ...{ arguments: [], typed: [], signal, options: optionReader({}) },
  };
}

describe('what a watch reads', () => {
  it('is waited for over two minutes of a server that is away, and no longer', async () => {
    let reads = 0;
    const read = async (): Promise<string> => ((reads += 1) === 1 ? 'seen' : away());
    const { signal } = new AbortController();
    const next = patientReads(cliOf(fakeTerminal(), signal), read, (last) => `${last}, then away`);
    expect(await next()).toBe('seen');
    expect(await next()).toBe('seen, then away');
    nowMs += 120_000;
    expect(await next()).toBe('seen, then away');
    nowMs += 1;
    await expect(next()).rejects.toThrow('UNAVAILABLE');
  });

  it('is an error where it never answered', async () => {
    const { signal } = new AbortController();
    const next = patientReads(cliOf(fakeTerminal(), signal), async () => away(), String);
    await expect(next()).rejects.toThrow('UNAVAILABLE');
  });
});

const { state: OPEN } = new GivenFleet({ rows: rowPlans({}, {}) });

const described = (name: string) => (): object => ({
  ...{ status: { name }, workflowId: 'fleet-migration/prod', runId: 'run-1', historyLength: 12 },
  ...{ startTime: new Date(1_000_000), memo: { actor: 'ana', reason: 'CHG-4711' } },
  raw: { workflowExecutionInfo: { firstRunId: 'run-1' } },
});

/** A server that answers each observation of a fleet with the next of `observations`. */
function serverThat(observations: readonly (() => object)[]): Client {
  const left = [...observations];
  const describe = async (): Promise<object> => (left.shift() ?? away)();
  const query = async (): Promise<object> => encodeFleet(OPEN);
  const workflowService = {
    getWorkflowExecutionHistory: async () => ({ history: { events: [] } }),
  };
  return {
    options: { namespace: 'default' },
    connection: { withDeadline: (_at: number, ask: () => unknown) => ask() },
    ...{ workflow: { getHandle: () => ({ describe, query }) }, workflowService },
  } as unknown as Client;
}

async function watched(
  terminal: FakeTerminal,
  observations: readonly (() => object)[],
): Promise<unknown> {
  const cli = cliOf(terminal, new AbortController().signal);
  return followFleet(cli, serverThat(observations), 'prod', null).catch((error: unknown) => error);
}

describe('the watch of a fleet', () => {
  it('waits for a server that is away, and says so', async () => {
    const terminal = fakeTerminal();
    const observations = [
      described('RUNNING'),
      away,
      described('RUNNING'),
      described('TERMINATED'),
    ];
    expect(await watched(terminal, observations)).toMatchObject({ exitStatus: 'halted' });
    expect(terminal.stderr()).toBe(
      'the server does not answer; waiting for it\nthe server answers again\n',
    );
    expect(terminal.stdout().replace(/^\S+ /gm, '')).toBe(
      [
        'prod Progressing · 2 moving',
        'prod NoServer',
        'prod Progressing · 2 moving',
        'prod Terminated · 2 moving',
        '',
      ].join('\n'),
    );
  });

  it('says on a screen that nothing goes on without the server', async () => {
    const terminal = fakeTerminal({ screen: true, width: 120 });
    const observations = [described('RUNNING'), away, described('TERMINATED')];
    await watched(terminal, observations);
    expect(terminal.stdout()).toContain('NoServer');
    expect(terminal.stdout()).toContain('no cluster is changed further until it answers');
  });

  it.each([
    [
      'refuses it',
      () => new ServiceError('no', { cause: Object.assign(new Error(), { code: 7 }) }),
    ],
    ['knows the fleet no more', () => new WorkflowNotFoundError('', 'w', undefined)],
  ])('ends at once where the server %s', async (_what, error) => {
    const terminal = fakeTerminal();
    const refuse = (): never => {
      throw error();
    };
    expect(await watched(terminal, [described('RUNNING'), refuse])).toBeInstanceOf(Error);
    expect(terminal.stderr()).toBe('');
  });
});
