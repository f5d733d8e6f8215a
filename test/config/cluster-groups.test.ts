import { expect, it } from '@jest/globals';
import { clusterLabels, groupsOf } from '../../config/cluster-groups.js';

it('the labels of a cluster name its region, unless it has a label of that name', () => {
  const labels = { zone: 'a' };
  expect([...clusterLabels({ region: 'eu', labels })]).toEqual([
    ['region', 'eu'],
    ['zone', 'a'],
  ]);
  const named = clusterLabels({ region: 'eu', labels: { region: 'own' } });
  expect([...named]).toEqual([['region', 'own']]);
});

it('a label with an equals sign in its name is in no group', () => {
  expect(groupsOf(new Map(Object.entries({ zone: 'a', 'b=c': 'd' })))).toEqual(['zone=a']);
});
