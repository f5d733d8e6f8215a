import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { connectCluster } from '../../../../activities/adapters/connect.js';
import {
  runExecPlugin,
  type ExecPlugin,
} from '../../../../activities/adapters/credentials/exec-plugin.js';
import { Secret } from '../../../../activities/adapters/credentials/secret.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import { withFiles } from '../../../config/given-files.js';
import {
  failureOf,
  json,
  kubeconfigText,
  startTlsStub,
  status,
  text,
  type TlsStub,
} from '../http/tls-stub.js';

// Each starts processes.
jest.setTimeout(300_000);

const V1 = 'client.authentication.k8s.io/v1';
const GENEROUS = { withinMs: 120_000, bytes: 256 * 1024 };

/** A plugin that runs this script; its output and arguments hold canaries. */
function plugin(script: string, changes: Partial<ExecPlugin> = {}): ExecPlugin {
  return {
    ...{ apiVersion: V1, command: process.execPath, arguments: ['-e', script, 'canary-argument'] },
    environment: { GIVEN: new Secret('canary-given') },
    cluster: { server: 'https://a' },
    ...changes,
  };
}

const printing = (value: unknown): string =>
  `process.stdout.write(${JSON.stringify(JSON.stringify(value))})`;
const credential = (statusPart: object): object => ({
  ...{ apiVersion: V1, kind: 'ExecCredential', status: statusPart },
});

describe('a credential plugin', () => {
  it('a credential plugin gets the exchange, the environment of the kubeconfig, and no terminal', async () => {
    const token =
      'JSON.stringify([process.env.GIVEN, JSON.parse(process.env.KUBERNETES_EXEC_INFO), typeof process.env.PATH, process.stdin.isTTY === true])';
    const script = `process.stdout.write(JSON.stringify({ apiVersion: '${V1}', kind: 'ExecCredential', status: { token: ${token} } }))`;
    const { token: said, expiresAtMs } = await runExecPlugin(plugin(script), GENEROUS);
    expect(JSON.parse(said.reveal())).toEqual([
      'canary-given',
      {
        ...{ apiVersion: V1, kind: 'ExecCredential' },
        spec: { interactive: false, cluster: { server: 'https://a' } },
      },
      'string',
      false,
    ]);
    expect(expiresAtMs).toBeNull();
  });

  it('a credential plugin reports until when its token is valid', async () => {
    const answer = credential({ token: 't', expirationTimestamp: '2026-11-21T10:00:00Z' });
    const { expiresAtMs } = await runExecPlugin(plugin(printing(answer)), GENEROUS);
    expect(expiresAtMs).toBe(Date.parse('2026-11-21T10:00:00Z'));
  });

  it.each<[string, ExecPlugin, string, RegExp]>([
    [
      'fails',
      plugin("console.log('canary-out'); console.error('canary-err'); process.exit(3)"),
      'Unauthorized',
      /ended with 3: run it by hand/,
    ],
    ['is killed', plugin("process.kill(process.pid, 'SIGKILL')"), 'Unauthorized', /with SIGKILL/],
    [
      'is not installed',
      plugin('', { command: 'no-such-plugin-of-ours' }),
      'Unauthorized',
      /no-such-plugin-of-ours cannot be started/,
    ],
    ['prints no JSON', plugin("console.log('canary-out')"), 'Unauthorized', /no ExecCredential/],
    [
      'speaks another version',
      plugin(printing({ ...credential({ token: 'canary' }), apiVersion: `${V1}beta1` })),
      'Unauthorized',
      /no ExecCredential of client\.authentication\.k8s\.io\/v1$/,
    ],
    [
      'gives a client certificate',
      plugin(printing(credential({ clientCertificateData: 'canary', clientKeyData: 'canary' }))),
      'NotSupported',
      /only a token is taken/,
    ],
    [
      'gives a time that is none',
      plugin(printing(credential({ token: 'canary', expirationTimestamp: 'canary' }))),
      'Unauthorized',
      /not a valid time/,
    ],
  ])(
    'a credential plugin that %s is reported without any of its output',
    async (_how, given, type, why) => {
      const error = await failureOf(runExecPlugin(given, GENEROUS));
      expect(error).toMatchObject({ type, message: expect.stringMatching(why) as unknown });
      expect(String(error) + JSON.stringify(error)).not.toContain('canary');
    },
  );

  it('a credential plugin that never ends is killed, with all that it started', async () => {
    const script = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'inherit' }); setInterval(() => 0, 1000)`;
    const error = await failureOf(runExecPlugin(plugin(script), { ...GENEROUS, withinMs: 1500 }));
    expect(error).toMatchObject({ type: 'Timeout' });
  });

  it('a credential plugin that prints without end is killed', async () => {
    const script = "setInterval(() => process.stdout.write('canary'.repeat(1000)), 1)";
    const error = await failureOf(runExecPlugin(plugin(script), { ...GENEROUS, bytes: 10_000 }));
    expect(error).toMatchObject({ type: 'Unauthorized' });
    expect(String(error)).toContain('more than 10000 bytes');
  });
});

describe('a cluster reached with a plugin', () => {
  let stub: TlsStub;
  beforeAll(async () => {
    stub = await startTlsStub();
  });
  afterAll(async () => {
    await closeTransports();
    await stub.close();
  });

  const LEASE = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'kube-system', name: 'x' };
  /** Counts its own runs in the token that it returns. */
  const counting = (folder: string, expires: string): string => `#!${process.execPath}
const fs = require('node:fs');
fs.appendFileSync('${folder}/runs', 'x');
const token = 'canary-token-' + fs.readFileSync('${folder}/runs', 'utf8').length;
const status = { token, expirationTimestamp: ${expires} };
process.stdout.write(JSON.stringify({ apiVersion: '${V1}', kind: 'ExecCredential', status }));
`;

  it.each([
    ['runs its plugin once while its token is valid', '"2999-01-01T00:00:00Z"', ['1', '1', '1']],
    ['runs its plugin again when its token has expired', '"2001-01-01T00:00:00Z"', ['1', '2', '3']],
  ])(
    'a connection %s',
    async (_what, expires, tokens) => {
      await withFiles({}, async (folder) => {
        const program = join(folder, 'plugin');
        await writeFile(program, counting(folder, expires));
        await chmod(program, 0o700);
        const user = `exec: { apiVersion: ${V1}, command: ${program} }`;
        const ca = stub.authority.certificatePem;
        const cluster = await stub.cluster(() => kubeconfigText(stub.base, ca, user));
        const reached = { ...cluster, allow: { exec: true, fileReferences: false } };
        const connection = await connectCluster(reached);
        stub.seen.length = 0;
        stub.answers(json(200, { metadata: { namespace: 'kube-system', name: 'x' } }));
        for (const _ of tokens) await connection.api.get(LEASE, { timeoutMs: 120_000 });
        expect(stub.seen.map(({ headers }) => headers.authorization)).toEqual(
          tokens.map((count) => `Bearer canary-token-${count}`),
        );
        const no = status(403, 'Forbidden', `no: ${stub.seen[0]?.headers.authorization ?? ''}`);
        stub.answers(no, text(200, 'ok'), no);
        const error = await failureOf(connection.api.get(LEASE, { timeoutMs: 120_000 }));
        expect(error).toMatchObject({ type: 'Forbidden' });
        expect(String(error)).not.toContain('canary');
        await connection.close();
      });
    },
    300_000,
  );

  /** A connection whose tokens this program prints. */
  const connectedBy = async (folder: string, script: string) => {
    const program = join(folder, 'plugin');
    await writeFile(program, script);
    await chmod(program, 0o700);
    const user = `exec: { apiVersion: ${V1}, command: ${program} }`;
    const ca = stub.authority.certificatePem;
    const cluster = await stub.cluster(() => kubeconfigText(stub.base, ca, user));
    return connectCluster({ ...cluster, allow: { exec: true, fileReferences: false } });
  };

  it.each([
    ['another token is asked for and used once', '.length', ['1', '2', '2'], null],
    ['a plugin that has no other is not asked for ever', '.length * 0', ['0'], 'Unauthorized'],
  ])(
    'a token that the server rejects before its stated end is given up: %s',
    async (_what, other, tokens, failed) => {
      await withFiles({}, async (folder) => {
        const script = counting(folder, '"2999-01-01T00:00:00Z"').replace('.length', other);
        const connection = await connectedBy(folder, script);
        stub.seen.length = 0;
        const found = json(200, { metadata: { namespace: 'kube-system', name: 'x' } });
        stub.answers(status(401, 'Unauthorized', 'the token is not valid'), found, found);
        const made = connection.api.mergePatch(LEASE, { data: {} }, { timeoutMs: 120_000 });
        if (failed === null) {
          await made;
          await connection.api.get(LEASE, { timeoutMs: 120_000 });
        } else {
          expect(await failureOf(made)).toMatchObject({ type: failed });
        }
        expect(stub.seen.map(({ headers }) => headers.authorization)).toEqual(
          tokens.map((count) => `Bearer canary-token-${count}`),
        );
        await connection.close();
      });
    },
  );

  it('a request keeps its deadline while the plugin is still running', async () => {
    await withFiles({}, async (folder) => {
      const script = `#!${process.execPath}\nsetTimeout(() => 0, 1000);\n`;
      const connection = await connectedBy(folder, script);
      const error = await failureOf(connection.api.get(LEASE, { timeoutMs: 300 }));
      expect(error).toMatchObject({ type: 'Timeout' });
      await connection.close();
    });
  });

  it('a plugin is refused unless the inventory permits it', async () => {
    const user = `exec: { apiVersion: ${V1}, command: /bin/true }`;
    const ca = stub.authority.certificatePem;
    const cluster = await stub.cluster(() => kubeconfigText(stub.base, ca, user));
    const error = await failureOf(connectCluster(cluster));
    expect(error).toMatchObject({ type: 'InvalidInput' });
  });
});
