import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { noteFullRegions } from '../../../cli/runs/full-regions.js';
import { servedFleet, unservedQueues } from '../../../cli/runs/queue-pollers.js';
import { fakeTerminal } from '../fake-terminal.js';
import { guardTaskQueue, stepTaskQueue } from '../../../config/names.js';

const GUARDS = guardTaskQueue('eu');

interface Told {
  /** Queues that no worker has polled for some minutes. */
  readonly silent: readonly string[];
  /** Of workers that are alive; an error is what the server answers. */
  readonly alive: number | Error;
  /** How long the oldest task of each queue waits. */
  readonly waitsSeconds?: number;
}

function serverThat({ silent, alive, waitsSeconds = 0 }: Told): Client {
  const workflowService = {
    describeTaskQueue: ({
      taskQueue: { name },
    }: {
      readonly taskQueue: { readonly name: string };
    }) =>
      Promise.resolve({
        pollers: silent.includes(name) ? [] : [{}],
        stats: {
          approximateBacklogCount: waitsSeconds > 0 ? 1 : 0,
          approximateBacklogAge: { seconds: waitsSeconds },
        },
      }),
    listWorkers: ({ query }: { readonly query: string }) => {
      if (alive instanceof Error) return Promise.reject(alive);
      const found = query.includes(`'${GUARDS}'`) ? alive : 0;
      return Promise.resolve({ workers: Array.from({ length: found }, () => ({})) });
    },
  };
  return { options: { namespace: 'default' }, workflowService } as unknown as Client;
}

const grpcError = (code: number): Error =>
  Object.assign(new Error('refused'), { code, details: '', metadata: {} });

describe('a region whose guard queue no worker has polled for minutes', () => {
  it.each<[string, Partial<Told>, readonly string[]]>([
    ['is served where a worker is alive, whose slots are all in use', {}, []],
    ['is not where none is alive', { alive: 0 }, [GUARDS]],
    ['is not where the server tells of no workers', { alive: grpcError(12) }, [GUARDS]],
    [
      'is not where its steps are not done either',
      { silent: [GUARDS, stepTaskQueue('eu')] },
      [stepTaskQueue('eu')],
    ],
  ])('%s', async (_, told, expected) => {
    const client = serverThat({ silent: [GUARDS], alive: 1, ...told });
    expect(await unservedQueues(client, 'eu')).toEqual(expected);
    const { queues, guardSlots, full } = await servedFleet(client, ['eu']);
    expect([queues, guardSlots]).toEqual([expected, []]);
    expect(full).toEqual(told.alive === undefined ? ['eu'] : []);
  });

  it.each<[string, Partial<Told>, string]>([
    [
      'that is full is told in a note',
      {},
      'note: the workers of region eu are full or busy: clusters there are queued until one has room (CCM4038)\n',
    ],
    [
      'whose workers poll, and leave a guard waiting, is, too',
      { silent: [], waitsSeconds: 9 },
      'note: the workers of region eu are full or busy: clusters there are queued until one has room (CCM4038)\n',
    ],
    ['whose guards are taken at once is not', { silent: [], waitsSeconds: 1 }, ''],
    ['without workers is not, which is refused elsewhere', { alive: 0 }, ''],
  ])('%s', async (_, told, expected) => {
    const terminal = fakeTerminal();
    const client = serverThat({ silent: [GUARDS], alive: 1, ...told });
    await noteFullRegions({ terminal }, client, ['eu']);
    expect(terminal.stderr()).toBe(expected);
  });

  it('is asked for once, whatever is told of its queues', async () => {
    const asked: string[] = [];
    const client = serverThat({ silent: [GUARDS], alive: 1 });
    const { workflowService: real } = client;
    const workflowService = {
      describeTaskQueue: (question: Parameters<typeof real.describeTaskQueue>[0]) => {
        asked.push(question.taskQueue?.name ?? '');
        return real.describeTaskQueue(question);
      },
      listWorkers: (question: Parameters<typeof real.listWorkers>[0]) => {
        asked.push('workers');
        return real.listWorkers(question);
      },
    };
    await servedFleet({ options: client.options, workflowService } as unknown as Client, ['eu']);
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
    expect(asked).toContain('workers');
  });

  it('is not known while the server does not answer', async () => {
    const client = serverThat({ silent: [GUARDS], alive: grpcError(14) });
    await expect(unservedQueues(client, 'eu')).rejects.toThrow('refused');
  });
});
