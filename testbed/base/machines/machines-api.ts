import type { MachineAnswer, MachineProvider } from './machine.js';
import {
  badRequestAnswer,
  json,
  METHOD_NOT_ALLOWED,
  NOT_SERVED,
  statusAnswer,
} from '../http/answers.js';
import type { ServedAnswer, RequestSummary, ClusterRequest } from '../http/request.js';
import { jsonBody, notAnObject } from '../http/json-body.js';
import { isObject } from '../json.js';

const MACHINE = /^\/v1\/machines\/([^/]+)$/;
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'update', DELETE: 'delete' };

/** `path` starts after `/machines-api`. */
export function summarizeMachines({ method, path }: ClusterRequest): RequestSummary {
  const [, name = ''] = MACHINE.exec(path) ?? [];
  const verb = VERBS[method] ?? method.toLowerCase();
  return { verb, resource: 'machines', name, mutating: method !== 'GET' };
}

/** docs/contracts/machines-api.md over HTTP; the provider enforces its rules. */
export function answerMachines(machines: MachineProvider, request: ClusterRequest): ServedAnswer {
  const { method, path, query } = request;
  if (path === '/v1/capabilities' && method === 'GET') {
    return json(200, { etcdMemberRemoval: machines.etcdMemberRemoval });
  }
  if (path === '/v1/machines' && method === 'GET') return json(200, { items: machines.list() });
  const [, name] = MACHINE.exec(path) ?? [];
  if (name === undefined) return NOT_SERVED;
  if (!NAME.test(name)) return badRequestAnswer(`${JSON.stringify(name)} is not a machine name`);
  if (method === 'PUT') return order(machines, name, request.body);
  if (method === 'DELETE') return remove(machines, name, query);
  return METHOD_NOT_ALLOWED;
}

function order(machines: MachineProvider, name: string, text: string): ServedAnswer {
  const body = jsonBody(text);
  if (body === null) return notAnObject();
  const { side, version, epoch, idempotencyKey } = body;
  const files = fileTexts(body['files']);
  if (side !== 'source' && side !== 'target')
    return badRequestAnswer('side must be source or target');
  if (typeof version !== 'string' || files === null) {
    return badRequestAnswer(
      'version must be a string and files a map from absolute path to string',
    );
  }
  if (!isEpoch(epoch) || typeof idempotencyKey !== 'string' || idempotencyKey === '') {
    return badRequestAnswer('epoch must be a whole number and idempotencyKey a string');
  }
  return answered(machines.order({ name, side, version, files, epoch, idempotencyKey }));
}

function remove(machines: MachineProvider, name: string, query: URLSearchParams): ServedAnswer {
  const epoch = query.has('epoch') ? Number(query.get('epoch')) : Number.NaN;
  const idempotencyKey = query.get('idempotencyKey') ?? '';
  if (!isEpoch(epoch) || idempotencyKey === '') {
    return badRequestAnswer('epoch must be a whole number and idempotencyKey a string');
  }
  return answered(machines.delete(name, { epoch, idempotencyKey }));
}

function isEpoch(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function fileTexts(value: unknown): Readonly<Record<string, string>> | null {
  if (!isObject(value)) return null;
  const texts: Record<string, string> = {};
  for (const [path, content] of Object.entries(value)) {
    if (typeof content !== 'string' || !path.startsWith('/')) return null;
    texts[path] = content;
  }
  return texts;
}

function answered(answer: MachineAnswer): ServedAnswer {
  switch (answer.kind) {
    case 'created':
      return json(201, answer.machine);
    case 'known':
      return json(200, answer.machine);
    case 'deleting':
      return json(202, {});
    case 'gone':
      return json(200, {});
    case 'refused':
      return statusAnswer(409, answer.reason, answer.message);
  }
}
