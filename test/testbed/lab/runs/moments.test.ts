import { beforeAll, expect, it } from '@jest/globals';
import type { EvidenceRecord } from '../../../../domain/evidence/record.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { openEnvironment } from '../../../activities/environment.js';
import { driveRun } from '../../../faults/drive-run.js';
import { describeInLab } from '../wanted.js';
import { momentOf, placeIn, type MomentName } from './moments.js';

const NAMES: readonly MomentName[] = ['firstStep', 'firstTakenAway', 'firstChanged', 'handover'];

/** What the product itself records forward and back, three simulated nodes in place. */
async function evidenceOfBothWays(): Promise<Readonly<Record<Target, readonly EvidenceRecord[]>>> {
  const nodes = { forward: 'inPlace', rollback: 'inPlace' } as const;
  const environment = await openEnvironment({ policy: { nodes }, timings: { fenceRenewMs: 5000 } });
  try {
    const { ccmManifest, context, dependencies } = environment;
    const direction = async (target: Target): Promise<readonly EvidenceRecord[]> => {
      const runId = `run-${target}`;
      await driveRun(environment, { target, runId, ccmManifest });
      const workflowId = `${context.workflowId}/${runId}`;
      return dependencies.evidence.read({ workflowId, runId });
    };
    return { ccm: await direction('ccm'), kcm: await direction('kcm') };
  } finally {
    await environment.close();
  }
}

describeInLab('the moments at which faults strike a direction occur in a real run', () => {
  let evidence: Awaited<ReturnType<typeof evidenceOfBothWays>>;
  beforeAll(async () => {
    evidence = await evidenceOfBothWays();
  });

  it('each moment occurs forward and back, in this order', () => {
    for (const target of ['ccm', 'kcm'] as const) {
      const records = evidence[target];
      const firstAt = NAMES.map((name) =>
        records.findIndex((_, index) => {
          return placeIn(records.slice(0, index + 1), momentOf(name, target)) !== null;
        }),
      );
      expect(firstAt).not.toContain(-1);
      expect([...firstAt].sort((a, b) => a - b)).toEqual(firstAt);
      expect(placeIn(records, momentOf('firstTakenAway', target))?.node).toMatch(/^cp-[123]$/);
      expect(placeIn(records, momentOf('firstChanged', target))?.node).toMatch(/^cp-[123]$/);
      expect(placeIn(records, momentOf('handover', target))?.node).toBe('');
    }
  });

  it('a write that is only intended, or was refused, does not count as applied', () => {
    const moment = momentOf('firstTakenAway', 'ccm');
    const { ccm } = evidence;
    const at = ccm.findIndex((_, index) => placeIn(ccm.slice(0, index + 1), moment) !== null);
    const upTo = ccm.slice(0, at + 1);
    expect(placeIn(upTo.slice(0, -1), moment)).toBeNull();
    const refused = upTo.map((record): EvidenceRecord => {
      const { entry } = record;
      if (entry.kind !== 'outcome') return record;
      return { ...record, entry: { ...entry, outcome: { ...entry.outcome, kind: 'refused' } } };
    });
    expect(placeIn(refused, moment)).toBeNull();
  });
});
