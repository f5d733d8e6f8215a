import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { isStatementVerb, rolesFor, VERB_RULES } from '../../domain/authority/verb-roles.js';
import { HAS_SECOND_VERIFIER } from '../support/second-verifier.js';

const PROGRAM = `
import json, sys
sys.path.insert(0, "tools/audit-verify")
sys.dont_write_bytecode = True
from roles import TAKES, taken
from signatures import VERBS
asked = json.load(sys.stdin)
print(json.dumps([sorted(VERBS), sorted(TAKES), [sorted(taken(each, each["own"])) for each in asked]]))
`;

const alike = HAS_SECOND_VERIFIER ? it : it.skip;

alike('the verifier in Python asks for the roles that workers ask for', () => {
  const verbs = Object.keys(VERB_RULES).filter(isStatementVerb);
  const asked = verbs.flatMap((verb) =>
    (['', 'ccm', 'kcm'] as const).flatMap((target) =>
      [false, true].map((own) => ({ verb, target, own })),
    ),
  );
  const { stdout, stderr } = spawnSync('python3', ['-c', PROGRAM], {
    input: JSON.stringify(asked),
  });
  expect(String(stderr)).toBe('');
  const wanted = asked.map(({ verb, target, own }) => {
    const isOfAnother = own && VERB_RULES[verb].forSecondPerson !== '';
    return isOfAnother ? ['breakGlass'] : [...rolesFor(verb, target)].sort();
  });
  expect(JSON.parse(String(stdout))).toEqual([[...verbs].sort(), [...verbs].sort(), wanted]);
});
