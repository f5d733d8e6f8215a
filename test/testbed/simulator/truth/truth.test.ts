import { describe, expect, it } from '@jest/globals';
import { unexplainedCalls } from '../../../../testbed/base/truth/journal-check.js';
import { OwnershipLog } from '../../../../testbed/base/truth/ownership-log.js';
import { kcm, node, Environment } from '../environment.js';

describe('the record of ownership', () => {
  it('the record of ownership counts overlap, orphan time after the first owner, and moves', () => {
    const log = new OwnershipLog();
    log.begin('kcm:a#1', 10_000);
    log.end('kcm:a#1', 20_000);
    log.begin('kcm:a#1', 21_000);
    log.begin('ccm:a#2', 22_000);
    log.end('kcm:a#1', 25_000);
    log.end('ccm:a#2', 30_000);
    const truth = log.truth(34_000);
    expect(truth).toMatchObject({ overlapSeconds: 3, orphanSeconds: 5, moves: 1 });
    expect(truth.orphans).toEqual([
      { fromMs: 20_000, toMs: 21_000, seconds: 1 },
      { fromMs: 30_000, toMs: null, seconds: 4 },
    ]);
    expect(truth.intervals.map(({ owners }) => owners.length)).toEqual([1, 0, 1, 2, 1, 0]);
  });

  it('the record of ownership is empty before the first owner', () => {
    expect(new OwnershipLog().truth(99_000)).toMatchObject({ orphanSeconds: 0, intervals: [] });
  });

  it('the record of ownership agrees with the cloud’s journal, and reports when it does not', () => {
    const environment = new Environment({
      plans: [node(kcm()), node(kcm())],
      loadBalancers: 3,
      workers: 2,
    }).wait(20);
    environment.cluster.crashProcess('cp-1', 'kcm');
    environment.cluster.crashProcess('cp-2', 'kcm');
    environment.wait(90);
    const truth = environment.cluster.truth();
    const journal = environment.cluster.cloudJournal();
    expect(journal.length).toBe(truth.cloudCalls);
    expect(unexplainedCalls(truth, journal)).toEqual([]);
    const [first] = journal;
    if (first === undefined) throw new Error('no call was made');
    expect(unexplainedCalls(truth, [{ ...first, pid: 1 }])).toHaveLength(1);
  });
});
