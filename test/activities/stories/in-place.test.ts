import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { USER_AGENTS } from '../../../config/names.js';
import { verifyChain } from '../../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

/** How many mutations of steps succeeded in the simulator; reviews are creates that change nothing, and renewals are the guard's. */
async function mutationsSeen(environment: Environment): Promise<number> {
  return (await environment.journal()).filter(
    ({ userAgent, mutating, code, resource }) =>
      userAgent === USER_AGENTS.steps &&
      mutating &&
      code < 300 &&
      resource !== 'subjectaccessreviews',
  ).length;
}

function applied(records: readonly EvidenceRecord[]): number {
  return records.filter(
    ({ entry }) => entry.kind === 'outcome' && /^(applied|foundApplied)$/.test(entry.outcome.kind),
  ).length;
}

describe('three nodes in place, forward and back, each step twice', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ twice: true });
  });
  afterEach(() => environment.close());

  it('ownership moves twice on the way forward and never overlaps; a repeated step changes nothing', async () => {
    const forward = await environment.migrate('ccm');
    expect(forward).toEqual([
      'recordBaseline',
      'grantLeaseAccess',
      'prepareCcm',
      ...['enableLeaderMigration', 'enableLeaderMigration', 'enableLeaderMigration'],
      ...['startCcm', 'startCcm', 'startCcm'],
      ...['externalizeKcm', 'externalizeKcm', 'externalizeKcm'],
    ]);
    const there = environment.cluster.truth().controllers.service;
    expect(there).toMatchObject({ overlapSeconds: 0, moves: 2 });
    // By expiry each of the two moves would cost 15 to 20 s, chained ones twice that.
    expect(there.orphanSeconds).toBeLessThan(20);

    await environment.migrate('kcm');
    expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
    const { observation } = await environment.snapshot();
    expect(observation.nodes.map(({ side }) => side)).toEqual(['source', 'source', 'source']);
    expect(observation.inventory.services.pending).toBe(0);

    const records = await environment.evidence();
    expect(verifyChain(records).kind).toBe('intact');
    expect(applied(records)).toBe(await mutationsSeen(environment));
    const intents = records.filter(({ entry }) => entry.kind === 'intent').length;
    expect(records).toHaveLength(2 * intents);
  });
});
