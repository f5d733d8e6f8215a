/** Guards of authority: what is not signed for exactly this, by a principal who may ask for it, is not carried out. */
const pure = (only) => ({ tests: ['test/domain/authority/authorise.test'], only });
const worker = (only) => ({
  tests: ['test/activities/authority/refused-runs.test'],
  only,
  composed: true,
});
const admitted = (only) => ({ tests: ['test/activities/authority/admitted-commands.test'], only });
const AUTHORISE = 'domain/authority/authorise.ts';
const JUDGE = 'activities/authority/judge-run.ts';

export const AUTHORITY_GUARDS = [
  {
    name: 'authority: a run is of the cluster that was signed',
    file: AUTHORISE,
    from: 'const given = { cluster, workflowId, policy, timings, fleet: ',
    to: 'const given = { workflowId, policy, timings, fleet: ',
    ...pure('of another cluster'),
  },
  {
    name: 'authority: the manifest is the one that was signed',
    file: AUTHORISE,
    from: 'return materials === null ? given : { ...given, materials };',
    to: 'return given;',
    ...pure('with another manifest'),
  },
  {
    name: 'authority: a role is needed',
    file: AUTHORISE,
    from: 'const role = wanted.find((each) => has.includes(each));',
    to: 'const role = wanted.find((each) => has.includes(each)) ?? wanted[0];',
    ...pure('is not begun by who has another role'),
  },
  {
    name: 'authority: a revoked key asks for nothing',
    file: AUTHORISE,
    from: 'if (isRevoked) return refused(REVOKED);\n  const wanted =',
    to: 'const wanted =',
    ...pure('is not begun by a key that was revoked'),
  },
  {
    name: 'authority: an approval comes from a second principal',
    file: AUTHORISE,
    from: 'VERB_RULES[given.verb].isSecondPerson && by.name === requester',
    to: 'VERB_RULES[given.verb].isSecondPerson && by.name === null',
    ...pure('requester and approver are two people'),
  },
  {
    name: 'authority: a direction rests on signed turns',
    file: AUTHORISE,
    from: 'if (asked !== target && !isByPolicy) return',
    to: 'if (asked === null && !isByPolicy) return',
    ...pure('back without a word'),
  },
  {
    name: 'authority: a statement has its time',
    file: AUTHORISE,
    from: 'return nowMs > notAfter * 1000 ?',
    to: 'return nowMs > notAfter * 1e9 ?',
    ...pure('after it'),
  },
  {
    name: 'authority: a proof of a member ends at the root',
    file: 'domain/authority/member-tree.ts',
    from: 'return hash === root && used === proof.path.length;',
    to: 'return used === proof.path.length;',
    tests: ['test/domain/authority/member-tree.test'],
    only: 'no other cluster is',
  },
  {
    name: 'authority: a signature is checked',
    file: 'activities/authority/signed-statement.ts',
    from: 'if (!isSignedBy(key.spki, bytes, sig)) return',
    to: 'if (!isSignedBy(key.spki, bytes, sig) && sig.length === 0) return',
    ...worker('refuses a run with a signature of other bytes'),
  },
  {
    name: 'authority: the fence asks before it is taken',
    file: 'activities/fence/take-fence.ts',
    from: 'const why = allowed === null ? null : denial(input, fence, allowed);',
    to: 'const why = allowed === null ? null : null;',
    ...worker('fence refuses a run that is not signed'),
  },
  {
    name: 'authority: a statement begins one run',
    file: 'activities/fence/take-fence.ts',
    from: "return isUsed ? 'its statement began another run already' : allowed.untimely;",
    to: 'return isUsed ? null : allowed.untimely;',
    ...worker('a statement begins one run'),
  },
  {
    name: 'authority: an older policy than the cluster has seen allows nothing',
    file: 'activities/fence/take-fence.ts',
    from: 'if (version < seen) {',
    to: 'if (version < seen - 1e9) {',
    ...worker('an older policy than the cluster has seen'),
  },
  {
    name: 'authority: each step asks',
    file: 'activities/index.ts',
    from: "await requireAuthority(own, input, stepAsks(input), 'AuthorityLost');",
    to: '',
    ...worker('step refuses a run that is not signed'),
  },
  {
    name: 'authority: the guard asks',
    file: 'activities/index.ts',
    from: "await requireAuthority(own, input, WATCHING, 'AuthorityLost');",
    to: '',
    ...worker('guard refuses a run that is not signed'),
  },
  {
    name: 'authority: commands that came with a run are of this run',
    file: JUDGE,
    from: ': { verb, nonce, subject, runId: run.runId, workflowId: run.workflowId };',
    to: ': { verb, nonce, subject, runId, workflowId: run.workflowId };',
    ...worker('a command of another run does not count'),
  },
  {
    name: 'authority: a policy that demands an approval is obeyed',
    file: JUDGE,
    from: "return isMissing && target === 'ccm' ? UNASKED : null;",
    to: 'return isMissing && target === "kcm" ? UNASKED : null;',
    ...worker('a policy that demands an approval refuses'),
  },
  {
    name: 'authority: an approval names the plan that it approves',
    file: 'activities/authority/admit-command.ts',
    from: "...(verb === 'approve' ? { plan: planDigest } : {}),",
    to: '',
    ...admitted('of another plan'),
  },
  {
    name: 'authority: a brake overtakes what was sent before it',
    file: 'workflows/command-admission.ts',
    from: 'brakes > before ? OVERTAKEN : null',
    to: 'brakes < before ? OVERTAKEN : null',
    tests: ['test/workflows/admission.test'],
    only: 'a pause is heard of at once',
  },
  {
    name: 'authority: a new plan covers the fleet as it is afterwards',
    file: 'workflows/fleet/revise.ts',
    from: 'if (signed !== undefined && signed.members !== rootOf(merged, state.rows)) {',
    to: 'if (signed !== undefined && signed.members === "") {',
    tests: ['test/workflows/fleet-admission.test'],
    only: 'takes a new plan of who may give it',
  },
];
