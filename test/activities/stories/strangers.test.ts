import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { nextStep } from '../../../domain/decision/next-step.js';
import { preflight } from '../../../domain/preflight/preflight.js';
import { CCM_MAIN, MIGRATION } from '../../support/manager-configs.js';
import { plantStranger } from '../../support/stranger.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

describe('a manager that no control-plane node runs', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.close());

  it.each([
    ['leads the CCMs', CCM_MAIN],
    ['holds the migration lock', MIGRATION],
  ])('is observed although no configuration names its Lease: it %s', async (_what, lock) => {
    plantStranger(stage.cluster, lock, 'bastion_5f0e8a');
    const { observation } = await stage.look();
    const { policy } = stage.context;
    for (const target of ['ccm', 'kcm'] as const) {
      expect(nextStep(observation, target, policy)).toMatchObject({
        kind: 'blocked',
        findings: [
          {
            code: 'CCM2001',
            seen: expect.stringMatching(new RegExp(`${lock.name}.*bastion_5f0e8a`)),
          },
        ],
      });
    }
    expect(preflight(observation, policy)).toContainEqual(
      expect.objectContaining({ code: 'CCM1507', severity: 'error' }),
    );
  });
});
