import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { lintFiles } from '../../config/fleet.js';
import { formatProblem } from '../../config/problems.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

const NAMES = ['fleet.yaml', 'inventory.yaml', 'policy.yaml'];

function linted(rules: string): ReturnType<typeof lintFiles> {
  const policy = POLICY.replace(
    'manifest: ./ccm.yaml',
    `manifest: ./ccm.yaml, accessRules: ${rules}`,
  );
  const files = { 'fleet.yaml': FLEET, 'inventory.yaml': INVENTORY, 'policy.yaml': policy };
  return withFiles({ ...files, 'ccm.yaml': CCM_POD }, (folder) =>
    lintFiles(NAMES.map((name) => join(folder, name))),
  );
}

it('access rules add rights of an unlisted CCM from the policy, for one namespace or all', async () => {
  const { fleets } = await linted(
    '[{ namespace: acme, resources: [secrets], resourceNames: [token], verbs: [get] }, ' +
      '{ apiGroups: [acme.example], resources: [clouds, clouds/status], verbs: [list, watch] }]',
  );
  expect(fleets[0]?.policy.ccm.accessRules).toEqual([
    {
      ...{ namespace: 'acme', apiGroups: [''], resources: ['secrets'] },
      ...{ resourceNames: ['token'], verbs: ['get'] },
    },
    {
      ...{ namespace: null, apiGroups: ['acme.example'], resources: ['clouds', 'clouds/status'] },
      ...{ resourceNames: [], verbs: ['list', 'watch'] },
    },
  ]);
});

it.each([
  ['group', '[{ apiGroups: ["*"], resources: [secrets], verbs: [get] }]'],
  ['resource', '[{ resources: ["*"], verbs: [get] }]'],
  ['subresource', '[{ resources: ["pods/*"], verbs: [get] }]'],
  ['name', '[{ resources: [secrets], resourceNames: ["*"], verbs: [get] }]'],
  ['verb', '[{ resources: [secrets], verbs: ["*"] }]'],
  ['nothing', '[{ resources: [secrets], verbs: [] }]'],
])('access rules that name everything or nothing for a %s are refused', async (_what, rules) => {
  const { problems } = await linted(rules);
  expect(problems.map(formatProblem).join()).toContain('spec.ccm.accessRules.0.');
});
