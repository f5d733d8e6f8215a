import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normalisedRollout } from '../../../config/normalised-fleet.js';
import { rollout } from '../../../config/kinds/rollout.js';
import { CCM_POD } from '../given-files.js';
import { fleetOf, fleetWith, inventoryOf, lintFleet } from './given-fleet.js';

it('a budget in percent is rounded down, and at least one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 20_000 }),
      (percent, clusters) => {
        const written = rollout.parse({ failureBudget: { percent: `${String(percent)}%` } });
        const { budget } = normalisedRollout(written, clusters);
        const exact = (clusters * percent) / 100;
        expect(Number.isInteger(budget.clusters)).toBe(true);
        expect(budget.clusters).toBeGreaterThanOrEqual(1);
        if (budget.clusters > 1) expect(budget.clusters).toBeLessThanOrEqual(exact);
        expect(budget.clusters).toBeGreaterThan(exact - 1);
      },
    ),
  );
});

const WAVES = ['a', 'b', 'c'];

it('waves by label divide the clusters of a fleet', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...WAVES), { minLength: 1, maxLength: 20 }),
      async (placed) => {
        const used = WAVES.filter((wave) => placed.includes(wave));
        const written = used.map(
          (wave) => `    - { name: ${wave}, selector: { labels: { w: ${wave} } }, canary: {} }\n`,
        );
        const clusters = placed.map((wave, index) => ({
          ...{ name: `c${String(index)}`, region: 'eu', labels: `w: ${wave}` },
        }));
        const files = {
          'eu.yaml': inventoryOf('eu', clusters.slice(0, 1)),
          'us.yaml': inventoryOf('us', [...clusters.slice(1), LAST]),
        };
        const more = `  rest: skip\n  waves:\n${written.join('')}`;
        const { waves, rows, clusters: all } = await fleetOf(fleetWith(more), files);
        expect(waves.flatMap((wave) => wave.clusters).sort()).toEqual(
          clusters.map(({ name }) => name).sort(),
        );
        expect(rows.map(({ name }) => name)).toEqual(all.map(({ name }) => name));
        for (const { name, wave, canary } of rows) {
          expect(waves[wave]?.clusters).toContain(name);
          expect(waves[wave]?.canaries.includes(name)).toBe(canary);
        }
      },
    ),
    { numRuns: 30 },
  );
});

/** In no wave. */
const LAST = { name: 'z', region: 'eu', labels: 'w: none' };

describe('hostile fleets', () => {
  const many = (name: string, count: number) =>
    inventoryOf(
      name,
      Array.from({ length: count }, (_, index) => ({
        ...{ name: `${name}-${String(index)}`, region: `r${String(index % 8)}` },
      })),
    );

  it('of 10,000 clusters in two waves are read', async () => {
    const files = { 'eu.yaml': many('eu', 5000), 'us.yaml': many('us', 5000) };
    const names = Array.from({ length: 5000 }, (_, index) => `eu-${String(index)}`);
    const waves = `  waves:
    - { name: first, selector: { names: [${names.join(', ')}] } }
    - { name: second, selector: { names: [${names.join(', ').replaceAll('eu', 'us')}] } }
`;
    const fleet = await fleetOf(fleetWith(`${waves}  rollout: { caps: { region: 8 } }\n`), files);
    expect(fleet.waves.map(({ clusters }) => clusters.length)).toEqual([5000, 5000]);
    expect(fleet.rollout.budget.clusters).toBe(1000);
  }, 120_000);

  it('of 10,000 unknown names get one line for each, and few suggestions', async () => {
    const files = { 'eu.yaml': many('eu', 5000) };
    const names = Array.from({ length: 10_000 }, (_, index) => `eu-${String(index)}x`);
    const { problems } = await lintFleet(
      fleetWith(`  clusters: { names: [${names.join(', ')}] }\n`),
      files,
    );
    expect(problems).toHaveLength(10_001);
    expect(problems.filter((line) => line.includes('did you mean'))).toHaveLength(10);
  }, 120_000);

  it.each(['__proto__', 'constructor', 'toString'])(
    'with the label %s select and group only what has it',
    async (key) => {
      const selector = `  rest: skip\n  waves: [{ name: a, selector: { labels: { ${key}: x } } }]\n`;
      const { problems } = await lintFleet(fleetWith(selector));
      expect(problems).toHaveLength(1);
      expect(problems.join()).toMatch(/: spec\.waves\.0\.selector.*\(CCM50(02|21)\)$/);
      const plain = await fleetOf(fleetWith(''));
      expect(plain.rows[0]?.groups).toEqual(['region=eu', 'tier=pilot']);
    },
  );

  it('with inherited names as waves, clusters and policies are refused or read as written', async () => {
    const files = {
      'eu.yaml': inventoryOf('eu', [{ name: 'constructor', region: 'eu' }]),
      'ccm.yaml': CCM_POD,
    };
    const fleet = await fleetOf(
      fleetWith('  rest: skip\n  waves: [{ name: a, selector: { names: [constructor] } }]\n'),
      files,
    );
    expect(fleet.waves[0]?.clusters).toEqual(['constructor']);
    const { problems } = await lintFleet(
      fleetWith('').replace('policy: standard', 'policy: valueof'),
    );
    expect(problems.join()).toContain('no such policy');
  });
});
