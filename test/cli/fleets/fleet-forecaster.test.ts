import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { fleetForecaster } from '../../../cli/fleets/fleet-forecaster.js';
import type { FleetRunView } from '../../../cli/fleets/fleet-run.js';
import { GivenFleet, rowPlans } from '../../domain/fleet/given-fleet.js';

/** A server that has forgotten the first event of every run, and counts how often it is asked. */
function forgetfulServer(): { readonly client: Client; readonly asked: () => number } {
  let asked = 0;
  const getWorkflowExecutionHistory = async (): Promise<object> => {
    asked += 1;
    return { history: { events: [] } };
  };
  const client = { options: { namespace: 'n' }, workflowService: { getWorkflowExecutionHistory } };
  return { client: client as unknown as Client, asked: () => asked };
}

const { state } = new GivenFleet({ rows: rowPlans({}) });
const RUN: FleetRunView = {
  ...{
    fleet: 'prod',
    workflowId: 'fleet-migration/prod',
    runId: 'run-1',
    fleetRun: 'run-1',
    state,
  },
  ...{ execution: 'running', startedAtMs: 0, closedAtMs: null, historyEvents: 12 },
  ...{ actor: 'ana', reason: '', files: [], silence: null },
};

describe('the forecast beside an observation', () => {
  it('asks once for what a run was started with, and says where that is gone', async () => {
    const { client, asked } = forgetfulServer();
    const forecast = fleetForecaster(client);
    expect((await forecast(RUN)).forecast).toMatchObject({ kind: 'unknown', why: 'input' });
    await forecast(RUN);
    expect(asked()).toBe(1);
    await forecast({ ...RUN, runId: 'run-2' });
    expect(asked()).toBe(2);
  });

  it('is none for a fleet that has ended or does not answer', async () => {
    const { client, asked } = forgetfulServer();
    const forecast = fleetForecaster(client);
    expect((await forecast({ ...RUN, execution: 'completed' })).forecast).toBeNull();
    expect((await forecast({ ...RUN, state: null })).forecast).toBeNull();
    expect(asked()).toBe(0);
  });

  it('in a watch takes at most a tenth of the time', async () => {
    const { client } = forgetfulServer();
    let nowMs = 0;
    // Each forecast takes a second by this clock: it is asked before and after.
    const forecast = fleetForecaster(client, () => (nowMs += 1000));
    const first = (await forecast(RUN)).forecast;
    nowMs += 5000;
    expect((await forecast(RUN)).forecast).toBe(first);
    nowMs += 5000;
    expect((await forecast(RUN)).forecast).not.toBe(first);
  });
});
