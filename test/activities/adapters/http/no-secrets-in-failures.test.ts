import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { connectCluster, type ConnectedCluster } from '../../../../activities/adapters/connect.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import {
  TOKEN,
  cutJson,
  failureOf,
  json,
  reset,
  startTlsStub,
  status,
  text,
  type Answer,
  type TlsStub,
} from './tls-stub.js';

const CONTENT = 'apiVersion: v1\ncanary-in-node-file: 1\n';
const GUARD = { expect: 'absent', epoch: 1 };
const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'kube-system', name: 'x' },
};
const REF = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'x' };

let stub: TlsStub;
let connection: ConnectedCluster;

beforeAll(async () => {
  stub = await startTlsStub();
  connection = await connectCluster(await stub.cluster());
});

afterAll(async () => {
  await connection.close();
  await closeTransports();
  await stub.close();
});

const echo: Answer = (seen, response) => {
  status(400, 'BadRequest', `got ${seen.headers.authorization ?? ''}`)(seen, response);
};
const echoBare: Answer = (seen, response) => {
  const token = (seen.headers.authorization ?? '').replace('Bearer ', '');
  text(500, `unexpected ${token} in header`)(seen, response);
};

const CALLS: readonly [string, () => Promise<unknown>][] = [
  ['get', () => connection.api.get(REF)],
  ['create', () => connection.api.create(OBJECT)],
  ['node file', () => connection.files.write('cp-1', '/etc/x', CONTENT, GUARD)],
  [
    'machine',
    () =>
      connection.machines?.add(
        { name: 'm', side: 'target', version: '1.31.0', files: { '/etc/x': CONTENT } },
        { epoch: 1, idempotencyKey: 'k' },
      ) ?? Promise.resolve(),
  ],
];

const ANSWERS: readonly [string, Answer][] = [
  ['echoes the header', echo],
  ['echoes the bare token', echoBare],
  ['resets', reset],
  ['is cut off', cutJson],
  [
    'shows broken JSON with a secret',
    text(200, `{"token":"${TOKEN}`, { 'content-type': 'application/json' }),
  ],
  [
    'breaks the contract',
    json(200, { token: TOKEN, hash: TOKEN, name: TOKEN, metadata: { name: 1 } }),
  ],
];

it.each(
  CALLS.flatMap(([call, act]) => ANSWERS.map(([name, answer]) => ({ call, act, name, answer }))),
)('no failure of $call shows a canary when the server $name', async ({ act, answer }) => {
  stub.answers(answer);
  const error = await failureOf(act());
  expect(failureTypeOf(error)).not.toBeNull();
  const proto = new DefaultFailureConverter().errorToFailure(error, defaultPayloadConverter);
  const shown = [
    String(error),
    error instanceof Error ? error.stack : '',
    JSON.stringify(error),
    inspect(error, { depth: 10 }),
    Buffer.from(JSON.stringify(proto)).toString(),
  ].join('\n');
  expect(shown).not.toContain('canary');
});

it('the connection itself shows no canary', () => {
  expect(inspect(connection, { depth: 10, showHidden: true })).not.toContain('canary');
  expect(JSON.stringify(connection)).not.toContain('canary');
});
