import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newSigningKey } from '../../config/access/signing-key-file.js';
import { tokenCommandIn } from '../cli/authority/token-command.js';
import { secondVerdicts } from '../support/second-verifier.js';
import { newIssuerKey } from '../support/token-issuer.js';
import {
  migrate,
  openOneCluster,
  patientPolicy,
  STORY_MS,
  succeeds,
  type OneCluster,
} from './one-cluster.js';

const WHY = ['--reason', 'CHG-21', '-y'] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function keyFile(name: string) {
  const { pem, publicKey } = newSigningKey();
  const path = join(folder, `${name}.key`);
  await writeFile(path, pem, { mode: 0o600 });
  return { path, publicKey };
}

/** Both of them must have signed the policy. */
async function signersFile(people: Readonly<Record<string, { readonly publicKey: string }>>) {
  const path = join(folder, 'policy-signers.yaml');
  const lines = Object.entries(people).map(
    ([name, { publicKey }]) => `    - {name: ${name}, keys: [{ed25519: ${publicKey}}]}\n`,
  );
  await writeFile(
    path,
    'apiVersion: ccm-migrate.dev/v1alpha1\nkind: PolicySigners\nmetadata: {name: two}\n' +
      `spec:\n  quorum: 2\n  signers:\n${lines.join('')}`,
    { mode: 0o600 },
  );
  return path;
}

const addressOf = async ({ stateDir }: OneCluster): Promise<string> => {
  const note = JSON.parse(await readFile(join(stateDir, 'server.json'), 'utf8')) as {
    address: string;
  };
  return note.address;
};

/** What the worker recorded of who was allowed or refused what, of all runs. */
async function authorities({ stateDir }: OneCluster) {
  const root = join(stateDir, 'worker');
  const names = (await readdir(root, { recursive: true })).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const { entry } = JSON.parse(line) as {
          entry: { kind: string; authority?: Readonly<Record<string, string>> };
        };
        return entry.authority === undefined ? [] : [entry.authority];
      }),
  );
}

describe('dev', () => {
  let environment: OneCluster;
  beforeEach(async () => {
    environment = await openOneCluster({ speed: 20, spec: { nodes: 1 }, policy: patientPolicy });
    await environment.startDev();
  });
  afterEach(() => environment.close(), 60_000);

  const untouched = (): boolean =>
    environment.cluster
      .nodes()
      .every((node) => node.host().processes.every(({ manager }) => manager !== 'ccm'));

  it(
    'who reaches the server and has no key, or another, starts nothing and commands nothing',
    async () => {
      const stolen = ['--address', await addressOf(environment)];
      const other = await keyFile('eve');
      const apply = ['apply', '-f', environment.fleetDir, ...WHY, '--watch', ...stolen] as const;
      for (const key of [[], ['--key', other.path]]) {
        const said = await environment.command(...apply, ...key);
        expect(said.exit).not.toBe(0);
        const { stdout } = await environment.command('status', 'sim-1', ...stolen);
        expect(stdout).toContain('the access policy of this worker does not allow it');
      }
      expect(untouched()).toBe(true);
      const fence = { resource: 'leases', namespace: 'kube-system', name: 'ccm-migrate' };
      expect(environment.cluster.store.get(fence).ok).toBe(false);
      expect((await authorities(environment)).map(({ verdict }) => verdict)).toEqual([
        ...['refused', 'refused'],
      ]);

      // Users of the folder notice nothing of it.
      await migrate(environment, ...WHY);
      const before = (await authorities(environment)).length;
      expect(before).toBe(3);
      const back = await environment.command(
        'rollback',
        'sim-1',
        ...WHY,
        ...stolen,
        '-f',
        environment.fleetDir,
      );
      expect(back.exit).toBe(0);
      const seen = await environment.command('status', 'sim-1', ...stolen, '--until', 'rolledBack');
      expect(seen.exit).not.toBe(0);
      expect(untouched()).toBe(false);
      await succeeds(
        environment,
        'audit',
        'export',
        'sim-1',
        '--out',
        join(folder, 'refused.json'),
      );
    },
    STORY_MS,
  );
});

const ISSUER = 'https://issuer.example.com';

describe('with two principals, and a job that has tokens', () => {
  let environment: OneCluster;
  const none = { path: '', publicKey: '' };
  let [ana, ben, worker] = [none, none, none];
  let tokens = '';
  beforeAll(async () => {
    [ana, ben, worker] = [await keyFile('ana'), await keyFile('ben'), await keyFile('worker')];
    const accessPolicy = join(folder, 'access-policy.yaml');
    const issuerKey = newIssuerKey('k1', 'ES256');
    tokens = await tokenCommandIn(folder, issuerKey, { iss: ISSUER, sub: 'repo:clusters' });
    const oidc = `[{oidc: {issuer: ${ISSUER}, subject: 'repo:clusters'}}]`;
    const principal = (name: string, key: string, roles: string): string =>
      `    - {name: ${name}, keys: [{ed25519: ${key}}], grants: [{roles: [${roles}]}]}\n`;
    await writeFile(
      accessPolicy,
      'apiVersion: ccm-migrate.dev/v1alpha1\nkind: AccessPolicy\nmetadata: {name: two}\n' +
        'spec:\n  version: 1\n  handoverApproval: required\n  handoverQuorum: 2\n' +
        `  issuers: [{issuer: ${ISSUER}, keys: [${JSON.stringify(issuerKey.jwk)}]}]\n` +
        '  principals:\n' +
        principal('ana', ana.publicKey, 'requester, operator, approver') +
        principal('ben', ben.publicKey, 'approver') +
        `    - {name: ci, keys: ${oidc}, grants: [{roles: [approver]}]}\n` +
        `  workers:\n    - {name: sim, keys: [{ed25519: ${worker.publicKey}}]}\n`,
      { mode: 0o600 },
    );
    environment = await openOneCluster({
      ...{ speed: 20, spec: { nodes: 1 } },
      policy: (text) =>
        patientPolicy(text).replace('spec:\n', 'spec:\n  approvals: { handover: required }\n'),
      env: {
        CCM_MIGRATE_ACCESS_POLICY: accessPolicy,
        CCM_MIGRATE_POLICY_SIGNERS: await signersFile({ ana, ben }),
        CCM_MIGRATE_WORKER_KEY: worker.path,
      },
    });
    for (const { path } of [ana, ben]) {
      const said = await environment.command('access', 'sign', accessPolicy, '--key', path);
      expect(said).toMatchObject({ exit: 0 });
    }
    await environment.startDev();
  }, STORY_MS);
  afterAll(() => environment.close(), 60_000);

  it(
    'a handover takes as many keys as the policy says, whatever names they claim',
    async () => {
      const { stateDir } = environment;
      const as = (key: { readonly path: string }, name: string) => [
        '--key',
        key.path,
        '--actor',
        name,
      ];
      const asked = await environment.command(
        ...['apply', '-f', environment.fleetDir, ...WHY, '--state-dir', stateDir],
        ...as(ana, 'alice@example.com'),
      );
      expect(asked).toMatchObject({ exit: 0 });
      const held = await environment.command(
        ...['status', 'sim-1', '--until', 'held', '--state-dir', stateDir, '--timeout', '5m'],
      );
      expect(held).toMatchObject({ exit: 0, stdout: expect.stringContaining('CCM4015') });
      const approve = ['approve', 'sim-1', ...WHY, '--state-dir', stateDir];
      const deputy = await environment.command(
        ...approve,
        ...as(ana, 'alice@example.com (deputy)'),
      );
      expect(deputy.exit).not.toBe(0);
      expect(deputy.stderr).toContain('ana asked for it, so another person must approve it');
      const unsigned = await environment.command(...approve, '--actor', 'bob@example.com');
      expect(unsigned.stderr).toContain('the command is not signed');
      await succeeds(environment, 'approve', 'sim-1', ...WHY, ...as(ben, 'bob@example.com'));
      const again = await environment.command(...approve, ...as(ben, 'rob@example.com'));
      expect(again.stderr).toContain('ben has approved it already');
      const waiting = await environment.command('status', 'sim-1', '--state-dir', stateDir);
      expect(waiting.stdout).toContain('1 of 2 people have approved it: ben');
      const job = { path: `oidc::${tokens}` };
      await succeeds(environment, 'approve', 'sim-1', ...WHY, ...as(job, 'release pipeline'));
      await succeeds(environment, 'status', 'sim-1', '--until', 'done');
      const approvals = (await authorities(environment)).filter(({ verb }) => verb === 'approve');
      expect(
        approvals.map(({ verdict, principal }) => `${verdict ?? ''} ${principal ?? ''}`),
      ).toEqual(['refused ', 'refused ', 'accepted ben', 'accepted ben', 'accepted ci']);
      const exported = join(folder, 'approved.json');
      await succeeds(environment, 'audit', 'export', 'sim-1', '--out', exported);
      const trust = join(folder, 'access-policy.yaml');
      const audit = await environment.command('audit', 'verify', exported, '--trust', trust);
      expect(audit.stdout).toContain('signatures: ana (apply), ben (approve), ci (approve); ');
      expect(audit.stdout).toMatch(/results: \d+ activities, signed by sim\n/);
      expect(audit.exit).toBe(0);
      const [second] = await secondVerdicts(await readFile(trust, 'utf8'), [exported]);
      expect(second?.accepted ?? 'no python3 or OpenSSL 3').not.toBe(false);
      const withoutBen = join(folder, 'without-ben.yaml');
      await writeFile(withoutBen, (await readFile(trust, 'utf8')).replace(/.*name: ben.*\n/, ''));
      const other = await environment.command('audit', 'verify', exported, '--trust', withoutBen);
      expect(other.stdout).toContain('a command: its key is not in the policy');
      expect(other.exit).toBe(3);
    },
    STORY_MS,
  );
});
