/** Guards of what an open run may still do when its access policy has changed, and of the name that a command is sent under. */
const JUDGE = 'activities/authority/judge-run.ts';
const COMMAND = 'activities/authority/judge-command.ts';

const standing = (only) => ({
  tests: ['test/activities/authority/lost-standing.test'],
  only,
  composed: true,
});
const admitted = (only) => ({
  tests: ['test/activities/authority/admitted-commands.test'],
  only,
  composed: true,
});

export const STANDING_GUARDS = [
  {
    name: 'standing: an approval that could not be given any more holds the way forward',
    file: JUDGE,
    from: "if (decide.target === 'ccm' && lapsed !== null) return lapsed;",
    to: '',
    ...standing('an approver whose key was revoked holds it'),
  },
  {
    name: 'standing: it does not hold a rollback by policy',
    file: JUDGE,
    from: "if (decide.target === 'ccm' && lapsed !== null) return lapsed;",
    to: 'if (lapsed !== null) return lapsed;',
    ...standing('its policy turns it back'),
  },
  {
    name: 'standing: a rollback does not rest on a word that could not be given any more',
    file: JUDGE,
    from: 'const missing = missingFor(rules, judgedOf(commands), decide);',
    to: 'const missing = missingFor(rules, onceGiven(commands), decide);',
    ...standing('a rollback rests on the word of an operator'),
  },
  {
    name: 'standing: a repair goes on by what was once accepted',
    file: JUDGE,
    from: 'if (isHarmless) return missingFor(rules, onceGiven(commands), decide);',
    to: 'if (isHarmless) return missingFor(rules, judgedOf(commands), decide);',
    tests: ['test/activities/authority/due-steps.test'],
    only: 'a repair needs no standing',
  },
  {
    name: 'standing: a run does not begin with a command that could not be given any more',
    file: JUDGE,
    from: 'whyLapsed(commands) ??\n    wrongApproval',
    to: 'wrongApproval',
    ...standing('begins no run'),
  },
  {
    name: 'standing: an approval that became required does not hold the guard',
    file: JUDGE,
    from: 'asked.isHarmless ? { decide: null } : asked',
    to: "{ decide: asked.decide ?? { target: 'ccm' } }",
    ...standing('an approval that became required holds it'),
  },
  {
    name: 'standing: a run that was sent forward before it began asks for the required approval',
    file: JUDGE,
    from: 'unaskedApproval(access, policy, { decide })',
    to: 'null',
    ...standing('nor does one begin that people sent forward'),
  },
  {
    name: 'standing: a command is sent under the name that was signed',
    file: 'activities/authority/admit-command.ts',
    from: '...{ verb, workflowId, runId, nonce, actor, subject:',
    to: '...{ verb, workflowId, runId, nonce, subject:',
    ...admitted('under another name is refused, and recorded'),
  },
  {
    name: 'standing: so is one to a fleet',
    file: 'activities/fleet/admit-fleet-command.ts',
    from: '...{ actor, subject: digestJson({ scope, order }) },',
    to: '...{ subject: digestJson({ scope, order }) },',
    ...admitted('a command to a fleet under another name is refused'),
  },
  {
    name: 'standing: automation does not roll back under the name of a person',
    file: COMMAND,
    from: "return role === 'automation' && !isAutomation(actor);",
    to: "return role === 'requester' && !isAutomation(actor);",
    ...admitted('automation rolls back under the name of a person'),
  },
  {
    name: 'authority: a policy that demands an approval is obeyed',
    file: JUDGE,
    from: "return isMissing && decide?.target === 'ccm' ? UNASKED : null;",
    to: "return isMissing && decide?.target === 'kcm' ? UNASKED : null;",
    tests: ['test/activities/authority/refused-runs.test'],
    only: 'a policy that demands an approval refuses',
  },
];
