import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import {
  type FromList,
  listedExecutions,
  type ListReading,
  listedStatus,
  listedTicket,
  READ_ALL,
} from '../../../cli/audit/listed-executions.js';

const INFOS = [1, 2, 3, 4, 5].map((time) => ({
  runId: `r${String(time)}`,
  startTime: new Date(time),
  memo: { ticket: time === 2 ? 'CHG-2' : 'CHG-1' },
}));

function serverWith(): Client {
  const list = async function* () {
    await Promise.resolve();
    yield* INFOS;
  };
  return { workflow: { list } } as unknown as Client;
}

async function listed(reading: Partial<ListReading>, known: readonly string[] = []) {
  const read: string[] = [];
  const from: FromList<string> = {
    read: async ({ runId }) => {
      read.push(runId);
      return Promise.resolve(`${runId} read`);
    },
    unread: ({ runId }) => `${runId} listed`,
  };
  const found = { query: '', known: new Map(known.map((id) => [id, `${id} exported`])) };
  const { told, unread } = await listedExecutions(serverWith(), found, from, {
    ...READ_ALL,
    ...reading,
  });
  return { told: [...told].sort(), unread, read };
}

describe('what a server lists', () => {
  it('is read, but for what exports tell of', async () => {
    expect(await listed({}, ['r2'])).toEqual({
      told: ['r1 read', 'r2 exported', 'r3 read', 'r4 read', 'r5 read'],
      ...{ unread: 0, read: ['r5', 'r4', 'r3', 'r1'] },
    });
  });

  it('is read from the newest on, up to a bound, and what is left out is counted', async () => {
    expect(await listed({ most: 2 }, ['r4'])).toEqual({
      told: ['r1 listed', 'r2 listed', 'r3 read', 'r4 exported', 'r5 read'],
      ...{ unread: 2, read: ['r5', 'r3'] },
    });
  });

  it('is not read where the list says that it is not meant', async () => {
    const isMeant: ListReading['isMeant'] = (info) => listedTicket(info) === 'CHG-2';
    expect(await listed({ isMeant, most: 1 })).toEqual({
      ...{ told: ['r2 read'], unread: 0, read: ['r2'] },
    });
  });

  it('tells how far it is', async () => {
    const said: string[] = [];
    await listed({ most: 3, told: (read, all) => said.push(`${String(read)}/${String(all)}`) });
    expect(said).toEqual(['1/3', '2/3', '3/3']);
  });

  it('has the words of an audit for how a run stands', () => {
    const statusOf = (name: string) => listedStatus({ status: { name } } as never);
    expect([statusOf('RUNNING'), statusOf('TIMED_OUT')]).toEqual(['open', 'timed_out']);
    expect(listedTicket({ memo: { ticket: 7 } } as never)).toBe('');
  });
});
