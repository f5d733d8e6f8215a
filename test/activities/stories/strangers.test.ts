import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { nextStep } from '../../../domain/decision/next-step.js';
import { preflight } from '../../../domain/preflight/preflight.js';
import { CCM_MAIN, MIGRATION } from '../../support/manager-configs.js';
import { plantStranger } from '../../support/stranger.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

describe('a manager that no control-plane node runs', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment();
  });
  afterEach(() => environment.close());

  it.each([
    ['leads the CCMs', CCM_MAIN],
    ['holds the migration lock', MIGRATION],
  ])('is observed although no configuration names its Lease: it %s', async (_what, lock) => {
    plantStranger(environment.cluster, lock, 'bastion_5f0e8a');
    const { observation } = await environment.snapshot();
    const { policy } = environment.context;
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
