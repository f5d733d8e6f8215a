import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import { sealedCommand, sealedFleetCommand } from '../../../cli/authority/sign-requests.js';
import { readSigner, type Signer, signerFor } from '../../../cli/authority/signing-key.js';
import { optionReader } from '../../../cli/cli.js';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';
import type { AccessPolicy, FidoKey } from '../../../domain/authority/access-policy.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { fakeTerminal, ran, type Ran } from '../fake-terminal.js';
import { HAS_OPENSSH, ownSshAgent, type OwnSshAgent } from './own-ssh-agent.js';
import { builtToken } from './software-token.js';
import { honest, newAgentKey, standInAgent, type StandInAgent } from './stand-in-agent.js';

const STATEMENT = wholeStatement({
  ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: 1, notAfter: 2 },
  reason: 'ünïcode, and long enough that no hash is as short',
});

const TOUCH: FidoKey = { application: 'ssh:', pin: false };

/** A key as a person names it, and the agent that has its private half. */
interface Named {
  readonly key: string;
  readonly socketPath: string;
}

const typed = (socketPath: string, ...words: readonly string[]): Promise<Ran> =>
  ran(words, { terminal: fakeTerminal({}), env: { SSH_AUTH_SOCK: socketPath } });

const signerAt = ({ key, socketPath }: Named): Promise<Signer> =>
  readSigner(key, { socketPath, withinMs: 20_000, signal: null, tell: () => undefined, env: {} });

/** The policy that `access init` writes for this key. */
async function policyFor({ key, socketPath }: Named): Promise<AccessPolicy> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-trusts-'));
  try {
    const said = await typed(socketPath, 'access', 'init', folder, '--key', key, '--actor', 'ana');
    expect(said).toMatchObject({ exit: 0, stderr: '' });
    const read = readAccessPolicy(await readFile(join(folder, 'access-policy.yaml'), 'utf8'));
    if (read.kind === 'invalid') throw new Error(read.problems.join());
    return read.policy;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What holds of every signer, wherever its key is. */
function signsForPolicy(named: () => Named): void {
  it('signs what workers and audits accept as of its principal', async () => {
    const policy = await policyFor(named());
    const envelope = await (await signerAt(named())).sign(STATEMENT);
    expect(openEnvelope(policy, envelope)).toMatchObject({
      ...{ kind: 'signed', statement: STATEMENT, by: { name: 'ana' }, isRevoked: false },
    });
    const changed = Buffer.from(envelope.payload, 'base64').toString().replace('"n"', '"m"');
    const payload = Buffer.from(changed).toString('base64');
    expect(openEnvelope(policy, { ...envelope, payload })).toMatchObject({ kind: 'refused' });
  });
}

/** And of every one that is no FIDO token, which counts. */
function signerContract(named: () => Named): void {
  signsForPolicy(named);

  it('gives the same bytes the same signature', async () => {
    const signer = await signerAt(named());
    const [one, two] = await Promise.all([signer.sign(STATEMENT), signer.sign(STATEMENT)]);
    expect(one).toEqual(two);
    expect(Buffer.from(one.signatures[0]?.sig ?? '', 'base64')).toHaveLength(64);
  });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-signers-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a key file', () => {
  let key: string;
  beforeAll(async () => {
    await typed('', 'access', 'init', join(folder, 'file'));
    key = join(folder, 'file', 'signing.key');
  });
  signerContract(() => ({ key, socketPath: '' }));
});

describe('a key of an agent', () => {
  const KEY = newAgentKey();
  let agent: StandInAgent;
  let key: string;
  beforeAll(async () => {
    agent = await standInAgent(honest(KEY));
    key = join(folder, 'id_ed25519.pub');
    await writeFile(key, KEY.line);
  });
  afterAll(() => agent.close());
  signerContract(() => ({ key, socketPath: agent.socketPath }));

  const command = { commandId: 'c', arguments: {}, actor: 'ana', reason: 'r', ticket: '' };
  const run = { workflowId: 'w', runId: 'r', planDigest: '' };
  const fleet = { commandId: 'c', actor: 'ana', reason: 'r', fleetRun: null };
  const scope = { kind: 'fleet' } as const;

  it('is not asked for a brake, which waits for no one', async () => {
    const signer = await signerAt({ key, socketPath: agent.socketPath });
    const before = agent.asked.length;
    expect(await sealedCommand(signer, run, { ...command, verb: 'pause' })).not.toHaveProperty(
      'signed',
    );
    const freeze = { ...fleet, scope, order: { verb: 'freeze' as const } };
    expect(await sealedFleetCommand(signer, 'eu', freeze)).not.toHaveProperty('signed');
    expect(agent.asked).toHaveLength(before);
    expect(await sealedCommand(signer, run, { ...command, verb: 'resume' })).toHaveProperty(
      'signed',
    );
    const unfreeze = { ...fleet, scope, order: { verb: 'unfreeze' as const } };
    expect(await sealedFleetCommand(signer, 'eu', unfreeze)).toHaveProperty('signed');
  });

  it('that has no agent says how to start one, once there is something to sign', async () => {
    const { signal } = new AbortController();
    const cli = { options: optionReader({ key }), env: {}, terminal: fakeTerminal(), signal };
    const signer = await signerFor(cli, 'resume');
    await expect(signer?.sign(STATEMENT)).rejects.toThrow(
      /^no ssh-agent is known \(SSH_AUTH_SOCK is not set\): start one, .*`ssh-add` the key SHA256:/,
    );
    const gone = await signerAt({ key, socketPath: join(folder, 'gone.sock') });
    await expect(gone.sign(STATEMENT)).rejects.toThrow(/gone.sock is not there any more/);
  });

  it('whose agent has ended says so', async () => {
    const ended = await standInAgent(honest(KEY));
    const signer = await signerAt({ key, socketPath: ended.socketPath });
    await ended.close();
    await expect(signer.sign(STATEMENT)).rejects.toMatchObject({
      ...{ name: 'WrongUsage', message: expect.stringMatching(/is not there any more|has ended/) },
    });
  });
});

// Skipped where OpenSSH is not installed: there is no agent of it to ask then.
(HAS_OPENSSH ? describe : describe.skip)('a key of an ssh-agent of OpenSSH', () => {
  let agent: OwnSshAgent;
  let key: string;
  beforeAll(async () => {
    agent = await ownSshAgent();
    await agent.newKey('other');
    key = await agent.newKey('ana');
  });
  afterAll(() => agent.close());
  const named = (): Named => ({ key, socketPath: agent.socketPath });
  signerContract(named);

  it('has the fingerprint that ssh-add prints, and the line of a policy', async () => {
    const said = await typed(agent.socketPath, 'access', 'key', key, '-o', 'json');
    const line = JSON.parse(said.stdout) as { fingerprint: string; ed25519: string; keyId: string };
    const { signatures } = await (await signerAt(named())).sign(STATEMENT);
    expect(line.keyId).toBe(signatures[0]?.keyid);
    const text = await typed('', 'access', 'key', key);
    expect(text).toMatchObject({ exit: 0, stdout: `ed25519: ${line.ed25519}\n` });
    const stranger = await signerAt({
      key: `key::${newAgentKey().line}`,
      socketPath: agent.socketPath,
    });
    await expect(stranger.sign(STATEMENT)).rejects.toThrow(line.fingerprint);
  });

  it('is not signed with while its agent is locked', async () => {
    const signer = await signerAt(named());
    await agent.whileLocked(async () => {
      await expect(signer.sign(STATEMENT)).rejects.toThrow('it holds no key, or is locked');
    });
    expect(await signer.sign(STATEMENT)).toHaveProperty('signatures');
  });

  it('that must be confirmed, where no one can, is refused', async () => {
    const asked = await agent.newConfirmedKey('asked');
    const signer = await signerAt({ key: asked, socketPath: agent.socketPath });
    await expect(signer.sign(STATEMENT)).rejects.toThrow(/refused to sign: it was declined/);
  });

  it('of another kind is refused, with the kind that signs', async () => {
    const other = await agent.newKey('ecdsa', 'ecdsa');
    await expect(signerAt({ key: other, socketPath: agent.socketPath })).rejects.toThrow(
      'of kind ecdsa-sha2-nistp256; what signs here is ssh-ed25519',
    );
  });
});

const TOKEN = HAS_OPENSSH ? builtToken() : null;

// Skipped where the token cannot be built.
(TOKEN === null ? describe.skip : describe)('a FIDO key behind an ssh-agent of OpenSSH', () => {
  let agent: OwnSshAgent;
  let key: string;
  beforeAll(async () => {
    agent = await ownSshAgent(TOKEN ?? '');
    key = await agent.newFidoKey('ana');
  });
  afterAll(async () => {
    await agent.close();
    await rm(dirname(TOKEN ?? ''), { recursive: true });
  });
  const named = (): Named => ({ key, socketPath: agent.socketPath });
  signsForPolicy(named);

  it('carries the touch, and is refused where the policy wants its PIN', async () => {
    const envelope = await (await signerAt(named())).sign(STATEMENT);
    const sig = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
    expect([sig.length, sig.subarray(64).toString('hex')]).toEqual([69, '0100000007']);
    const policy = await policyFor(named());
    const wanting = (changes: Partial<FidoKey>): AccessPolicy => ({
      ...policy,
      principals: policy.principals.map((each) => ({
        ...each,
        keys: each.keys.map((one) => ({ ...one, fido: { ...TOUCH, ...changes } })),
      })),
    });
    expect(openEnvelope(wanting({}), envelope)).toMatchObject({ kind: 'signed' });
    const refused = openEnvelope(wanting({ pin: true }), envelope);
    expect(refused).toEqual({ kind: 'refused', why: 'its key signed without its PIN' });
  });

  it('that was made without a touch signs nothing', async () => {
    const untouched = await agent.newFidoKey('untouched', '-O', 'no-touch-required');
    const signer = await signerAt({ key: untouched, socketPath: agent.socketPath });
    await expect(signer.sign(STATEMENT)).rejects.toThrow(/signed without a touch.*make a key/);
  });

  it('is named in two lines, by the fingerprint that ssh-add prints', async () => {
    const text = await typed('', 'access', 'key', key);
    expect(text.stdout).toMatch(/^ed25519: MCow\S+\nfido: \{ application: "ssh:" \}\n$/);
    const said = await typed('', 'access', 'key', key, '-o', 'json');
    const { fingerprint } = JSON.parse(said.stdout) as { fingerprint: string };
    expect(agent.listed()).toContain(fingerprint);
  });
});
