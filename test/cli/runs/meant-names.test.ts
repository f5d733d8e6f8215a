import { expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Cli } from '../../../cli/cli.js';
import { optionReader } from '../../../cli/cli.js';
import { afterTheEnd } from '../../../cli/commands/after-the-end.js';
import { findRun, findRunOf, noFleet } from '../../../cli/runs/find-run.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { clusterWorkflowId, fleetWorkflowId } from '../../../config/names.js';
import { fakeTerminal } from '../fake-terminal.js';
import { endedView } from '../given-runs.js';
import { WorkflowNotFoundError } from '@temporalio/client';

/** A server that knows an ended run of cluster eu-1 and one of fleet production. */
function server(): Client {
  const run = (workflowId: string, cluster: string): object => ({
    ...{ workflowId, runId: 'run-1', status: { name: 'COMPLETED' }, startTime: new Date(0) },
    typedSearchAttributes: { get: () => cluster },
  });
  const list = async function* ({ query }: { readonly query: string }): AsyncGenerator<object> {
    if (query.includes('Cluster=')) return;
    if (query.includes('fleetMigration')) {
      yield run(fleetWorkflowId('production'), '');
      yield run(fleetWorkflowId('production'), '');
    } else yield run(clusterWorkflowId('uid-1'), 'eu-1');
  };
  const describe = async (): Promise<never> => {
    throw new WorkflowNotFoundError('', 'w', undefined);
  };
  return { workflow: { list, getHandle: () => ({ describe }) } } as unknown as Client;
}

function cliOf(...words: readonly string[]): Cli {
  return {
    ...{ terminal: fakeTerminal(), theme: createTheme({ color: false, ascii: false }) },
    ...{ output: 'text', env: {}, arguments: words, typed: words },
    ...{ signal: new AbortController().signal, options: optionReader({}) },
  };
}

it.each([
  ['EU-1', 'no run for cluster or fleet EU-1, did you mean "eu-1"?'],
  ['Produktion', 'no run for cluster or fleet Produktion, did you mean "production"?'],
])(
  'a name that no run has, %s, is compared with those of clusters and fleets',
  async (name, what) => {
    await expect(findRun(cliOf(name), server())).rejects.toThrow(what);
  },
);

it('the name of a fleet that never ran is compared with those that did', async () => {
  const { message } = await noFleet(server(), 'Production');
  expect(message).toBe('no run for fleet Production, did you mean "production"?');
});

it('a command to a run that has ended says which commands it takes, and that nothing was changed', async () => {
  const view = endedView();
  const who = { actor: 'ana', reason: 'late', ticket: '' };
  const ended = { view, verb: 'pause' as const, who, cluster: 'prod-1' };
  await expect(afterTheEnd(cliOf('prod-1'), server(), ended)).rejects.toMatchObject({
    ...{ code: 'CCM4005', state: 'nothing was changed' },
    why: 'Only a run that is open takes commands; `rollback` and `rollforward` start the next one.',
  });
});

it('the run of a cluster that was rebuilt is not taken for one of the new cluster', async () => {
  const known = clusterWorkflowId('uid-old');
  const list = async function* (): AsyncGenerator<object> {
    yield {
      ...{ workflowId: known, runId: 'run-1', status: { name: 'RUNNING' }, startTime: new Date(0) },
      typedSearchAttributes: { get: () => 'eu-1' },
    };
  };
  const describe = async (): Promise<never> => {
    throw new WorkflowNotFoundError('', 'w', undefined);
  };
  const client = { workflow: { list, getHandle: () => ({ describe }) } } as unknown as Client;
  expect(await findRunOf(client, 'eu-1')).toBe(known);
  await expect(findRunOf(client, 'eu-1', 'uid-new')).rejects.toMatchObject({
    code: 'CCM4010',
    message: 'no run for eu-1 as the inventory pins it (uid-new)',
    why: expect.stringContaining(`${known} is of a cluster of the same name with another UID`),
    fix: expect.stringContaining(`without -f: \`ccm-migrate status ${known}\``),
  });
});
