import type { Client } from '@temporalio/client';
import { expect, it } from '@jest/globals';
import type { Signer } from '../../../cli/authority/signing-key.js';
import { deliverOrder } from '../../../cli/server/deliver-orders.js';
import type { RunOrder } from '../../../domain/automation/orders-for-runs.js';

const REFUSES: Signer = {
  asksProgram: true,
  signBytes: null,
  sign: () => Promise.reject(new Error('the agent is locked')),
};

/** A server that stores signals, and runs that no worker answers for. */
function storing(sent: unknown[]): Client {
  const handle = {
    query: () => Promise.reject(new Error('no worker')),
    signal: (_: unknown, command: unknown) => Promise.resolve(void sent.push(command)),
  };
  const connection = { withDeadline: (_: number, call: () => unknown) => call() };
  return { connection, workflow: { getHandle: () => handle } } as unknown as Client;
}

const CLUSTER = { kind: 'cluster', workflowId: 'w', runId: 'r', name: 'c', uid: 'u', fleet: '' };
const FLEET = { kind: 'fleet', workflowId: 'fleet-migration/eu', runId: 'r', name: 'eu' };
const ORDER = { commandId: 'c', verb: 'rollBack', fingerprint: 'f', summary: 's', instead: '' };

it.each([CLUSTER, FLEET])(
  'a rollback whose agent does not sign reaches the $kind unsigned, and its sender learns why',
  async (run) => {
    const sent: unknown[] = [];
    const order = { ...ORDER, run, alertSinceMs: 1, overSinceMs: null } as unknown as RunOrder;
    const by = { client: storing(sent), tokenName: 'am', readWithinMs: 100, signer: REFUSES };
    expect(await deliverOrder({ ...by, mayTurn: () => true }, order)).toEqual({
      ...{ outcome: 'sent', detail: 'not signed: the agent is locked' },
    });
    expect(sent).toEqual([expect.not.objectContaining({ signed: expect.anything() })]);
  },
);
