import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { USER_AGENTS } from '../../../config/names.js';
import { verifyChain } from '../../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import { enabling } from '../../support/planned.js';
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

it('a Leader Migration file can be read by a manager that is not root, and what a kubelet reads by root alone', async () => {
  const environment = await openEnvironment();
  try {
    await environment.fence();
    await environment.snapshot();
    await environment.take({ kind: 'recordBaseline' });
    await environment.take(enabling('cp-2'));
    const files = environment.cluster.node('cp-2')?.files;
    const modesIn = (folder: string): unknown =>
      files?.list(folder).map((name) => [name, files.read(`${folder}/${name}`)?.mode]);
    const ours = '/etc/kubernetes/ccm-migrate';
    expect(modesIn(ours)).toEqual([[expect.stringContaining('leader-migration-'), '0644']]);
    expect(modesIn(`${ours}/backup`)).toEqual([[expect.stringMatching(/^kcm-/), '0600']]);
  } finally {
    await environment.close();
  }
});

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
