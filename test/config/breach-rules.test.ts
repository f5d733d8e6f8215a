import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { lintFiles, loadFleets } from '../../config/fleet.js';
import { plannedPolicy } from '../../config/outputs/planned-policy.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

function filesWith(gates: string): Readonly<Record<string, string>> {
  const policy = `${POLICY}  gates: ${gates}\n`;
  return {
    'fleet.yaml': FLEET,
    'inventory.yaml': INVENTORY,
    'policy.yaml': policy,
    'ccm.yaml': CCM_POD,
  };
}

const NAMES = ['fleet.yaml', 'inventory.yaml', 'policy.yaml'];

async function policyWith(gates: string): Promise<MigrationPolicy | undefined> {
  let policy: MigrationPolicy | undefined;
  await withFiles(filesWith(gates), async (folder) => {
    const [fleet] = await loadFleets(NAMES.map((name) => join(folder, name)));
    policy = fleet?.policy;
  });
  return policy;
}

describe('what a failed gate causes', () => {
  it.each([
    ['{}', { onBreach: 'hold' }],
    ['{ onBreach: rollBack }', { onBreach: 'rollBack' }],
    ['{ onBreach: { holdThenRollBack: 15m } }', { onBreach: { holdThenRollBackMs: 900_000 } }],
    [
      '{ onBreachByPhase: { verify: rollBack, replaceNodes: { holdThenRollBack: 1h } } }',
      {
        onBreach: 'hold',
        onBreachByPhase: { verify: 'rollBack', replaceNodes: { holdThenRollBackMs: 3_600_000 } },
      },
    ],
  ])('a policy with %s', async (written, expected) => {
    const policy = await policyWith(written);
    const { onBreach, onBreachByPhase } = policy ?? {};
    expect({ onBreach, ...(onBreachByPhase === undefined ? {} : { onBreachByPhase }) }).toEqual(
      expected,
    );
    // A plan carries it as it is.
    expect(plannedPolicy.parse(JSON.parse(JSON.stringify(policy)))).toEqual(policy);
  });

  it('a policy without rules of phases is as before there were any', async () => {
    expect(await policyWith('{}')).not.toHaveProperty('onBreachByPhase');
  });

  it.each([
    ['{ onBreach: retry }', 'spec.gates.onBreach'],
    ['{ onBreach: { holdThenRollBack: 0s } }', 'spec.gates.onBreach'],
    ['{ onBreach: { holdThenRollBack: 15m, then: stop } }', 'spec.gates.onBreach'],
    ['{ onBreachByPhase: { soak: hold } }', 'spec.gates.onBreachByPhase'],
  ])('%s is refused', async (written, path) => {
    await withFiles(filesWith(written), async (folder) => {
      const { problems } = await lintFiles(NAMES.map((name) => join(folder, name)));
      expect(problems.map(({ path: at }) => at).join()).toContain(path);
    });
  });
});
