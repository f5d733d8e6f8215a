/** Guards of signing with an agent: what another program says is checked, and nothing that must not wait waits for it. */
const SIGNER = 'cli/authority/agent-signer.ts';
const AGENT = 'cli/authority/ssh-agent.ts';
const PUBLIC_KEY = 'config/access/ssh-public-key.ts';
const wrong = (only) => ({ tests: ['test/cli/authority/wrong-agents.test'], only });
const signers = (only) => ({ tests: ['test/cli/authority/signers.test'], only });
const parsed = (only) => ({ tests: ['test/config/access/ssh-public-key.test'], only });

const SIGNATURES = 'activities/authority/signatures.ts';
const fido = (only) => ({ tests: ['test/activities/authority/fido-signature.test'], only });
const second = (only) => ({ tests: ['test/cli/audit/second-verifier.test'], only });

export const AGENT_GUARDS = [
  {
    name: 'FIDO: each signature takes a touch',
    file: SIGNATURES,
    from: 'if (!read.isTouched) return',
    to: "if (!read.isTouched && spki === '') return",
    ...fido('without a touch'),
  },
  {
    name: 'FIDO: a policy may want the PIN',
    file: SIGNATURES,
    from: 'return fido.pin && !read.isVerified ?',
    to: "return fido.pin && !read.isVerified && spki === '' ?",
    ...fido('without its PIN'),
  },
  {
    name: 'FIDO: the policy says which kind a key is',
    file: SIGNATURES,
    from: 'if (fido === undefined) return',
    to: 'if (fido === undefined || signature.length === 64) return',
    ...fido('that is one of a file'),
  },
  {
    name: 'FIDO: a signature is for one application',
    file: 'activities/authority/fido-signature.ts',
    from: 'sha256(application), tail',
    to: 'tail',
    ...fido('that was touched is its principal'),
  },
  {
    name: 'FIDO: nothing that no one touched is sent',
    file: SIGNER,
    from: 'if (fault !== null) throw',
    to: "if (fault === 'withoutPin') throw",
    ...wrong('that no one touched sends nothing'),
  },
  {
    name: 'FIDO: an agent is not believed',
    file: SIGNER,
    from: 'const named = isFido ?',
    to: 'const named = isFido && sig.length > 64 ?',
    ...wrong('that signs as a file does is not believed'),
  },
  {
    name: 'FIDO: a key of a web site signs nothing',
    file: PUBLIC_KEY,
    from: 'application !== null && !SSH_APPLICATION.test(application)',
    to: 'application !== null && SSH_APPLICATION.source === application',
    ...parsed('a FIDO key of a web site'),
  },
  {
    name: 'FIDO: the second verifier wants the touch',
    file: 'tools/audit-verify/signatures.py',
    from: 'want(carried[64] & needed == needed,',
    to: 'want(needed > 0,',
    ...second('no one touched'),
  },
  {
    name: 'agent: a signature is of the key that was asked for',
    file: SIGNER,
    from: "!isNamed || fault === 'wrong'",
    to: '!isNamed',
    ...wrong('that signs with another key is not believed'),
  },
  {
    name: 'agent: the algorithm is the one of the key',
    file: SIGNER,
    from: "!isNamed || fault === 'wrong'",
    to: "fault === 'wrong'",
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
    from: 'asksProgram && VERB_RULES[verb].isBrake',
    to: "asksProgram && verb === 'apply'",
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
    name: 'ssh key: what a key is for stands in a FIDO key alone',
    file: PUBLIC_KEY,
    from: 'isFido !== (application !== undefined) || ',
    to: '',
    ...parsed('a FIDO key for nothing'),
  },
  {
    name: 'ssh key: it has one spelling',
    file: PUBLIC_KEY,
    from: "blob.toString('base64') === base64 ? keyIn(blob, kind) : null",
    to: 'keyIn(blob, kind)',
    ...parsed('base64 of another spelling'),
  },
  {
    name: 'ssh key: it is of the kind that its line says',
    file: PUBLIC_KEY,
    from: "kind?.toString('latin1') !== wanted || ",
    to: 'kind === undefined || ',
    ...parsed('another kind inside'),
  },
  {
    name: 'ssh key: nothing follows it',
    file: PUBLIC_KEY,
    from: ' || more.length > 0',
    to: '',
    ...parsed('more after a FIDO key'),
  },
  {
    name: 'ssh key: a private one is sent to the agent',
    file: 'config/access/ssh-key-named.ts',
    from: 'text.startsWith(PRIVATE_OF_SSH)',
    to: 'text === PRIVATE_OF_SSH',
    ...parsed('is refused, and never shown'),
  },
];
