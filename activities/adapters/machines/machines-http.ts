import { z } from 'zod';
import { failure } from '../../failures.js';
import type { CallOptions, Machine, MachineGuard, MachineOrder, Machines } from '../../ports.js';
import type { ReasonTypes } from '../http/answer-failure.js';
import { checkedAnswer } from './node-access-http.js';
import type { HttpClient } from '../http/http.js';
import { pathSegment } from '../http/object-paths.js';

/** Reasons of docs/contracts/machines-api.md. */
export const MACHINES_REASONS: ReasonTypes = {
  StaleEpoch: 'FenceLost',
  Conflict: 'ForeignEdit',
  EtcdUnsafe: 'PreconditionFailed',
};

/** What a provisioner can do by itself. */
export interface MachinesCapabilities {
  readonly etcdMemberRemoval: 'machinesApi' | 'us';
}

export interface MachinesOverHttp extends Machines {
  capabilities(options?: CallOptions): Promise<MachinesCapabilities>;
}

const MachineAnswer = z.object({
  name: z.string().min(1),
  side: z.enum(['source', 'target']),
  state: z.enum(['ordered', 'booting', 'ready', 'failed', 'deleting']),
  node: z.string().nullable(),
  providerId: z.string().nullable(),
  reason: z.string(),
});
const MachinesAnswer = z.object({ items: z.array(MachineAnswer) });
const CapabilitiesAnswer = z.object({ etcdMemberRemoval: z.enum(['machinesApi', 'us']) });

export function createMachines(http: HttpClient): MachinesOverHttp {
  const list = (options?: CallOptions): Promise<readonly Machine[]> => listMachines(http, options);
  return {
    list,
    add: (order, guard, options) => addMachine(http, order, guard, options),
    remove: (name, guard, options) => removeMachine(http, name, guard, options),
    capabilities: async (options) => {
      const what = 'read capabilities of the machines API';
      const path = '/v1/capabilities';
      const { json } = await http.send({ what, method: 'GET', path, safe: true }, options);
      return checkedAnswer(CapabilitiesAnswer, json, what);
    },
  };
}

async function listMachines(http: HttpClient, options?: CallOptions): Promise<readonly Machine[]> {
  const what = 'list machines';
  const path = '/v1/machines';
  const { json } = await http.send(
    { what, method: 'GET', path, safe: true, answer: 'list' },
    options,
  );
  return checkedAnswer(MachinesAnswer, json, what).items;
}

async function addMachine(
  http: HttpClient,
  { name, side, version, files }: MachineOrder,
  { epoch, idempotencyKey }: MachineGuard,
  options?: CallOptions,
): Promise<Machine> {
  const what = `create machine ${name}`;
  const body = { side, version, files, epoch, idempotencyKey };
  const path = `/v1/machines/${pathSegment(name)}`;
  const { json } = await http.send({ what, method: 'PUT', path, body, safe: false }, options);
  const machine = checkedAnswer(MachineAnswer, json, what);
  if (machine.name === name) return machine;
  throw failure('Unavailable', `${what}: the answer describes machine ${machine.name}`);
}

/** Answered when the provider accepted the request; the list shows when the machine is gone. */
async function removeMachine(
  http: HttpClient,
  name: string,
  { epoch, idempotencyKey }: MachineGuard,
  options?: CallOptions,
): Promise<void> {
  const what = `delete machine ${name}`;
  const path = `/v1/machines/${pathSegment(name)}`;
  const query = { epoch, idempotencyKey };
  await http.send({ what, method: 'DELETE', path, query, safe: false }, options);
}
