/** Guards of signing with an agent: what another program says is checked, and nothing that must not wait waits for it. */
const SIGNER = 'cli/authority/agent-signer.ts';
const AGENT = 'cli/authority/ssh-agent.ts';
const PUBLIC_KEY = 'config/access/ssh-public-key.ts';
const wrong = (only) => ({ tests: ['test/cli/authority/wrong-agents.test'], only });
const signers = (only) => ({ tests: ['test/cli/authority/signers.test'], only });
const parsed = (only) => ({ tests: ['test/config/access/ssh-public-key.test'], only });

export const AGENT_GUARDS = [
  {
    name: 'agent: a signature is of the key that was asked for',
    file: SIGNER,
    from: ' || !verify(null, bytes, key, sig)',
    to: ' || !verify.name',
    ...wrong('that signs with another key is not believed'),
  },
  {
    name: 'agent: the algorithm is the one of the key',
    file: SIGNER,
    from: 'algorithm !== SSH_ED25519 || ',
    to: 'algorithm.length > 99 || ',
    ...wrong('that names another algorithm is not believed'),
  },
  {
    name: 'agent: it is asked for a key that it holds',
    file: SIGNER,
    from: 'if (held.some((each) => each.equals(blob))) return;',
    to: 'if (held.length >= 0) return;',
    ...wrong('is not asked to sign'),
  },
  {
    name: 'agent: a person is asked for one signature at a time',
    file: SIGNER,
    from: 'last.then(async () => signedBy(agent, key, bytes))',
    to: 'signedBy(agent, key, bytes)',
    ...wrong('is asked for one signature after the other'),
  },
  {
    name: 'agent: a message is not longer than any can be',
    file: AGENT,
    from: ' || length > LONGEST_MESSAGE',
    to: '',
    ...wrong('that announces a huge message is not waited for'),
  },
  {
    name: 'agent: nothing follows its answer',
    file: AGENT,
    from: ' || rest > 0',
    to: '',
    ...wrong('that says more than it announced'),
  },
  {
    name: 'agent: keys are as many as were counted',
    file: AGENT,
    from: 'strings?.length !== 2 * answer.readUInt32BE(1)',
    to: 'strings == null',
    ...wrong('is not asked to sign'),
  },
  {
    name: 'agent: a wait for it can be interrupted',
    file: AGENT,
    from: "signal?.addEventListener('abort', interrupt, { once: true });",
    to: '',
    ...wrong('is told what is waited for, and may interrupt it'),
  },
  {
    name: 'agent: a brake does not wait for it',
    file: 'cli/authority/sign-requests.ts',
    from: 'asksAgent && VERB_RULES[verb].isBrake',
    to: "asksAgent && verb === 'apply'",
    ...signers('is not asked for a brake'),
  },
  {
    name: 'agent: the rollback of an alert is sent without it',
    file: 'cli/server/deliver-orders.ts',
    from: 'await signedInTime(plain, sealedCommand(signer, run, plain))',
    to: "{ command: await sealedCommand(signer, run, plain), unsigned: '' }",
    tests: ['test/cli/server/delivered-unsigned.test'],
    only: 'a rollback whose agent does not sign',
  },
  {
    name: 'agent: the rollback of an alert does not wait for it',
    file: 'cli/server/signed-in-time.ts',
    from: 'await Promise.race([signing, late])',
    to: 'await (late === null ? late : signing)',
    tests: ['test/cli/server/signed-in-time.test'],
    only: 'does not wait for a key that says nothing',
  },
  {
    name: 'ssh key: a FIDO key is none that signs here',
    file: PUBLIC_KEY,
    from: 'if (kind !== SSH_ED25519) throw',
    to: "if (kind !== SSH_ED25519 && !kind.startsWith('sk-')) throw",
    ...parsed('a FIDO key'),
  },
  {
    name: 'ssh key: it has one spelling',
    file: PUBLIC_KEY,
    from: " || blob.toString('base64') !== base64",
    to: '',
    ...parsed('base64 of another spelling'),
  },
  {
    name: 'ssh key: it is of the kind that its line says',
    file: PUBLIC_KEY,
    from: "kind?.toString('latin1') === SSH_ED25519 && ",
    to: '',
    ...parsed('another kind inside'),
  },
  {
    name: 'ssh key: nothing follows it',
    file: PUBLIC_KEY,
    from: 'strings?.length !== 2',
    to: 'strings === null',
    ...parsed('more after the key'),
  },
  {
    name: 'ssh key: a private one is sent to the agent',
    file: 'config/access/ssh-key-named.ts',
    from: 'text.startsWith(PRIVATE_OF_SSH)',
    to: 'text === PRIVATE_OF_SSH',
    ...parsed('is refused, and never shown'),
  },
];
