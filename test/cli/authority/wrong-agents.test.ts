import { sign } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { agentSigner } from '../../../cli/authority/agent-signer.js';
import type { SshPublicKey } from '../../../config/access/ssh-public-key.js';
import { sshNumber, sshString } from '../../../config/access/ssh-wire.js';
import { tapped } from '../../support/fido-token.js';
import {
  askedBytes,
  framed,
  honest,
  LISTS,
  listOf,
  newAgentKey,
  signatureOf,
  standInAgent,
  type Behaviour,
  type StandInAgent,
} from './stand-in-agent.js';

const KEY = newAgentKey();
const OTHER = newAgentKey();
const BYTES = Buffer.from('DSSEv1 4 text 5 bytes');
const rightSig = (asked: Buffer): Buffer => sign(null, askedBytes(asked), KEY.key);

let agent: StandInAgent | null = null;
afterEach(async () => {
  await agent?.close();
  agent = null;
});

const publicKey = { publicKey: KEY.spki, blob: KEY.blob, application: null };

/** What becomes of one signature that is asked of an agent. */
async function outcome(
  behaves: Behaviour,
  withinMs = 20_000,
  key: SshPublicKey = publicKey,
): Promise<string> {
  agent = await standInAgent(behaves);
  const { socketPath } = agent;
  const signer = agentSigner(key, {
    ...{ socketPath, withinMs, signal: null, tell: () => undefined },
  });
  return signer.sign(BYTES).then(
    () => 'signed',
    (error: unknown) => String(error),
  );
}

/** Lists the key, and answers as given when it is to sign. */
const whenSigning =
  (answer: Behaviour): Behaviour =>
  (asked, socket) =>
    asked[0] === LISTS ? listOf(KEY.blob) : answer(asked, socket);

const closes: Behaviour = (_asked, socket) => {
  socket.end();
  return null;
};
const half: Behaviour = (asked, socket) => {
  const whole = signatureOf('ssh-ed25519', rightSig(asked));
  socket.end(whole.subarray(0, whole.length - 10));
  return null;
};

describe('an agent', () => {
  it('that holds the key signs', async () => {
    expect(await outcome(honest(KEY))).toBe('signed');
  });

  it.each<[string, Behaviour, string]>([
    [
      'that signs with another key is not believed',
      (asked) => signatureOf('ssh-ed25519', sign(null, askedBytes(asked), OTHER.key)),
      'a signature that is not of this key',
    ],
    [
      'that signs other bytes is not believed',
      () => signatureOf('ssh-ed25519', sign(null, Buffer.from('other'), KEY.key)),
      'a signature that is not of this key',
    ],
    [
      'that names another algorithm is not believed',
      (asked) => signatureOf('rsa-sha2-512', rightSig(asked)),
      'a signature that is not of this key',
    ],
    [
      'that gives a signature of another length is not believed',
      (asked) => signatureOf('ssh-ed25519', rightSig(asked).subarray(1)),
      'a signature that is not of this key',
    ],
    ['that refuses is told as such', () => framed(5, Buffer.alloc(0)), 'refused to sign'],
    ['that answers with another message', () => listOf(KEY.blob), 'no message of its protocol'],
    [
      'that wraps a length beyond its message',
      () => framed(14, sshNumber(2 ** 31)),
      'no message of its protocol',
    ],
    [
      'that adds something to a signature',
      (asked) =>
        framed(
          14,
          Buffer.concat([
            sshString(Buffer.concat([sshString('ssh-ed25519'), sshString(rightSig(asked))])),
            sshString('more'),
          ]),
        ),
      'no message of its protocol',
    ],
    ['that sends an empty message', () => sshNumber(0), 'no message of its protocol'],
    [
      'that announces a huge message is not waited for',
      () => Buffer.concat([sshNumber(0xffffffff), Buffer.alloc(100)]),
      'no message of its protocol',
    ],
    [
      'that says more than it announced',
      (asked) => Buffer.concat([signatureOf('ssh-ed25519', rightSig(asked)), Buffer.from('more')]),
      'no message of its protocol',
    ],
    ['that ends within its answer', half, 'before its answer was complete'],
    ['that closes at once', closes, 'before its answer was complete'],
  ])('%s', async (_, behaves, why) => {
    const said = await outcome(whenSigning(behaves));
    expect(said).toMatch(/^AgentFailure: the ssh-agent at \S+ /);
    expect(said).toContain(why);
  });

  it.each<[string, Behaviour, string]>([
    ['lists another key', () => listOf(OTHER.blob), 'it holds SHA256:'],
    ['lists none', () => listOf(), 'it holds no key, or is locked'],
    ['refuses to list', () => framed(5, Buffer.alloc(0)), 'does not say which keys it holds'],
    [
      'counts more keys than it lists',
      () => framed(12, Buffer.concat([sshNumber(9), sshString(KEY.blob), sshString('c')])),
      'no message of its protocol',
    ],
    ['lists a cut key', () => framed(12, sshNumber(1)), 'no message of its protocol'],
    ['lists nothing at all', () => framed(12, Buffer.of(0)), 'does not say which keys'],
  ])('that %s is not asked to sign', async (_, behaves, why) => {
    expect(await outcome(behaves)).toContain(why);
    expect(agent?.asked).toEqual([LISTS]);
  });

  it('that says nothing is given up in time', async () => {
    expect(
      await outcome(
        whenSigning(() => null),
        300,
      ),
    ).toContain('did not answer within 0.3 s');
    await agent?.close();
    expect(await outcome(() => null, 300)).toContain('did not answer within 0.3 s');
  });
});

describe('a person', () => {
  it('is told what is waited for, and may interrupt it', async () => {
    agent = await standInAgent(whenSigning(() => null));
    const controller = new AbortController();
    const told: string[] = [];
    const signer = agentSigner(publicKey, {
      ...{ socketPath: agent.socketPath, withinMs: 5_000, signal: controller.signal },
      tell: (text) => {
        told.push(text);
        controller.abort();
      },
    });
    const signing = [signer.sign(BYTES), signer.sign(BYTES)];
    const ended = await Promise.allSettled(signing);
    expect(ended.map((each) => ('reason' in each ? String(each.reason) : ''))).toEqual([
      'Error: interrupted',
      expect.stringMatching(/^AbortError/),
    ]);
    expect(told).toEqual([
      expect.stringMatching(/^waiting for the ssh-agent to sign with SHA256:\S+: touch the key/),
    ]);
    // The second was not asked for while the first waited.
    expect(agent.asked).toHaveLength(2);
  });

  it('is asked for one signature after the other, and a refusal spoils none that follows', async () => {
    let open = 0;
    const opened: number[] = [];
    const right = honest(KEY);
    agent = await standInAgent(
      whenSigning((asked, socket) => {
        opened.push((open += 1));
        setTimeout(() => {
          open -= 1;
          socket.write(
            opened.length === 1 ? framed(5, Buffer.alloc(0)) : (right(asked, socket) ?? ''),
          );
        }, 50);
        return null;
      }),
    );
    const signer = agentSigner(publicKey, {
      ...{ socketPath: agent.socketPath, withinMs: 20_000, signal: null, tell: () => undefined },
    });
    const ended = await Promise.allSettled([1, 2, 3].map(() => signer.sign(BYTES)));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(opened).toEqual([1, 1, 1]);
  });
});

const SK = 'sk-ssh-ed25519@openssh.com';
const FIDO: SshPublicKey = {
  ...{ publicKey: KEY.spki, application: 'ssh:' },
  blob: Buffer.concat([SK, Buffer.from(KEY.spki, 'base64').subarray(12), 'ssh:'].map(sshString)),
};

/** As an agent passes on what a token gives. */
const passedOn = (carried: Buffer, algorithm = SK): Buffer =>
  framed(
    14,
    sshString(
      Buffer.concat([
        sshString(algorithm),
        sshString(carried.subarray(0, 64)),
        carried.subarray(64),
      ]),
    ),
  );

describe('an agent with a FIDO token', () => {
  it.each<[string, Behaviour, string]>([
    ['that was touched signs', (asked) => passedOn(tapped(KEY.key, askedBytes(asked))), 'signed'],
    [
      'that no one touched sends nothing',
      (asked) => passedOn(tapped(KEY.key, askedBytes(asked), { flags: 0 })),
      'signed without a touch',
    ],
    [
      'that signs for something else is not believed',
      (asked) => passedOn(tapped(KEY.key, askedBytes(asked), { application: 'ssh:x' })),
      'not of this key',
    ],
    [
      'that signs as a file does is not believed',
      (asked) => passedOn(rightSig(asked)),
      'not of this key',
    ],
    [
      'that calls it a plain key is not believed',
      (asked) => passedOn(tapped(KEY.key, askedBytes(asked)), 'ssh-ed25519'),
      'not of this key',
    ],
    [
      'that leaves out the counter is not believed',
      (asked) => passedOn(tapped(KEY.key, askedBytes(asked)).subarray(0, -1)),
      'not of this key',
    ],
  ])('%s', async (_, behaves, expected) => {
    const lists: Behaviour = (asked, socket) =>
      asked[0] === LISTS ? listOf(FIDO.blob) : behaves(asked, socket);
    expect(await outcome(lists, 20_000, FIDO)).toContain(expected);
  });
});
