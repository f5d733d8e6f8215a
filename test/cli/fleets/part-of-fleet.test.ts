import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { optionReader, type Cli } from '../../../cli/cli.js';
import { UsageError } from '../../../cli/cli-error.js';
import { describeWholeFleet } from '../../../cli/commands/describe-fleet.js';
import { statusOfFleet } from '../../../cli/commands/status-fleet.js';
import { fleetPath } from '../../../cli/fleets/fleet-path.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { encodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import { GivenFleet, HELD, rowPlans, WAVE } from '../../domain/fleet/given-fleet.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

const waves = [{ ...WAVE, name: 'main' }];
const { state } = new GivenFleet({ waves, rows: rowPlans({}, {}) });

/** A server with one fleet, which a worker answers for. */
function serverOf(of: FleetState): Client {
  const describe = async (): Promise<object> => ({
    ...{ workflowId: 'fleet-migration/prod', runId: 'run-1', historyLength: 12, memo: {} },
    ...{ status: { name: 'RUNNING' }, startTime: new Date(0), raw: {} },
  });
  const query = async (): Promise<object> => encodeFleet(of);
  return {
    options: { namespace: 'n' },
    connection: { withDeadline: (_at: number, ask: () => unknown) => ask() },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history: { events: [] } }) },
    workflow: { getHandle: () => ({ describe, query }) },
  } as unknown as Client;
}

async function shown(
  show: typeof statusOfFleet,
  written: string,
  given: Readonly<Record<string, unknown>> = {},
  of = state,
): Promise<string> {
  const terminal = fakeTerminal();
  const cli: Cli = {
    ...{ terminal, theme: createTheme({ color: false, ascii: false }), output: 'text', env: {} },
    ...{ signal: new AbortController().signal, options: optionReader(given) },
    ...{ arguments: [written], typed: [] },
  };
  const path = fleetPath(written);
  if (path === null) throw new Error('not a fleet');
  await show(cli, serverOf(of), path);
  return terminal.stdout();
}

describe.each([
  ['status', statusOfFleet],
  ['describe', describeWholeFleet],
] as const)('%s of a part of a fleet', (verb, show) => {
  it('shows the whole fleet by its name alone', async () => {
    expect(await shown(show, 'prod')).toContain('prod');
  });

  it('is refused for a wave, with the command that lists it', async () => {
    const refusal = shown(show, 'prod/wave/main');
    await expect(refusal).rejects.toThrow(UsageError);
    await expect(refusal).rejects.toThrow(
      `\`ccm-migrate get clusters prod/wave/main\`, or \`ccm-migrate ${verb} prod\``,
    );
  });

  it('names commands that ask the same server', async () => {
    const named = { stateDir: 'lab' };
    await expect(shown(show, 'prod/wave/main', named)).rejects.toThrow(
      `\`ccm-migrate get clusters prod/wave/main --state-dir lab\`, or \`ccm-migrate ${verb} prod --state-dir lab\``,
    );
    const failing = new GivenFleet({ waves, rows: rowPlans({ canary: true }) });
    failing.report(0, { ...HELD, heals: true, signature: 'CCM4015 handover' });
    expect(await shown(show, 'prod', named, failing.state)).toContain(
      'ccm-migrate approve c0 --state-dir lab',
    );
  });

  it('is refused for a cluster, with the commands that show it', async () => {
    await expect(shown(show, 'prod/c1')).rejects.toThrow(
      '`ccm-migrate get clusters prod/c1`, or `ccm-migrate describe prod/c1`',
    );
  });

  it.each([
    ['prod/c9', /fleet prod has no cluster c9/],
    ['prod/wave/mian', /fleet prod has no wave mian \(main\)/],
  ])('says that there is none: %s', async (written, why) => {
    await expect(shown(show, written)).rejects.toThrow(why);
  });
});

it.each(['waves', 'approvals'])('get %s is for a whole fleet', async (what) => {
  const { exit, stderr } = await ran(['get', what, 'prod/wave/main', '--address', '127.0.0.1:1']);
  expect([exit, stderr]).toEqual([
    64,
    expect.stringContaining(`\`ccm-migrate get ${what} prod --address 127.0.0.1:1\``),
  ]);
});
