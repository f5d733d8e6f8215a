import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { exitStatusOf } from '../../../cli/exit-status.js';
import type { ProgramResult } from '../../../devserver/run-program.js';
import type { Target } from '../../../domain/vocabulary.js';
import { truthBetween } from '../../../testbed/demo/direction-run.js';
import { readFleetReport, type FleetReport } from '../../../testbed/demo/fleet/fleet-report.js';
import type { ClusterTruth } from '../../../testbed/lab/truth/cluster-truth.js';
import {
  fenceComplaints,
  overlapComplaints,
  ownerComplaints,
} from '../../support/run-complaints.js';
import { FLEET, footprint, NODE, TwoClusters, type Footprint } from './runs/two-clusters.js';
import type { WatchedCluster } from './runs/watched-cluster.js';
import { describeInLab } from './wanted.js';

jest.setTimeout(20 * 60_000);

const SECOND_WAVE = `${FLEET}/wave/second`;

function statusOf({ code }: ProgramResult): ReturnType<typeof exitStatusOf> {
  return exitStatusOf(code);
}

/** As in production: files, plan, apply, an approval, and a rollback of everything. */
describeInLab('a fleet of two real clusters migrates in two waves, and back', () => {
  let environment: TwoClusters;
  let first: WatchedCluster;
  let second: WatchedCluster;
  /** Before any command. */
  const began = new Map<WatchedCluster, ClusterTruth>();
  let untouched: Footprint;

  beforeAll(async () => {
    environment = await TwoClusters.open();
    [first, second] = environment.clusters;
    for (const each of [first, second]) began.set(each, await each.truth());
    untouched = await footprint(second);
  });
  afterAll(() => environment.close());

  it('one cluster is proven, and the other one is untouched while its wave waits for an approval', async () => {
    const plan = environment.planFile();
    expect(statusOf(await environment.type('plan', '-f', environment.files, '--out', plan))).toBe(
      'reached',
    );
    const asked = ['--actor', 'ana', '--reason', 'CHG-4711', '--yes'];
    const applied = await environment.type('apply', plan, ...asked, '--watch');
    expect(statusOf(applied)).toBe('halted');
    expect(applied.stdout).toContain('wave second: waits for 1 more approval before it begins');
    expect(await report()).toMatchObject({
      ...{ standing: 'held', phases: { 'lab-1': 'proven', 'lab-2': 'waiting' } },
      needs: [{ kind: 'approval', subject: 'wave second' }],
    });
    expect(await complaintsAbout(first, 'ccm')).toEqual([]);
    expect(untouched.writes).toEqual([]);
    expect(await footprint(second)).toEqual(untouched);
  });

  it('the second wave begins when another person than the one who asked has approved it', async () => {
    const because = ['--reason', 'the first one is clean', '--yes'];
    const own = await environment.type('approve', SECOND_WAVE, '--actor', 'ana', ...because);
    expect(own.stderr).toContain('ana asked for this fleet');
    expect(await footprint(second)).toEqual(untouched);
    const other = await environment.type('approve', SECOND_WAVE, '--actor', 'ben', ...because);
    expect(statusOf(other)).toBe('reached');
    const watched = await environment.type('status', FLEET, '-w');
    expect(statusOf(watched)).toBe('halted');
    expect(watched.stdout).toContain('wave second: waits for 1 more approval after its last end');
    expect((await report()).phases).toEqual({ 'lab-1': 'proven', 'lab-2': 'proven' });
    expect(await complaintsAbout(first, 'ccm')).toEqual([]);
    expect(await complaintsAbout(second, 'ccm')).toEqual([]);
    const touched = await footprint(second);
    for (const record of ['writes', 'kcm', 'files', 'pids', 'processes', 'owners'] as const)
      expect(touched[record]).not.toEqual(untouched[record]);
  });

  it('one rollback of the fleet takes both back, and the fleet is over', async () => {
    const why = ['--actor', 'ben', '--reason', 'load balancer alarms', '--yes'];
    expect(statusOf(await environment.type('rollback', FLEET, ...why))).toBe('reached');
    expect(statusOf(await environment.type('status', FLEET, '-w'))).toBe('rolledBack');
    expect(await report()).toMatchObject({
      ...{ standing: 'done', burnt: 0, needs: [] },
      phases: { 'lab-1': 'back', 'lab-2': 'back' },
    });
    for (const each of [first, second]) {
      expect(await complaintsAbout(each, 'kcm')).toEqual([]);
      expect(each.pids(NODE, 'ccm')).toEqual([]);
      expect(each.pids(NODE, 'kcm')).toHaveLength(1);
    }
  });

  async function report(): Promise<FleetReport> {
    const { stdout } = await environment.type('status', FLEET, '-o', 'json');
    return readFleetReport(JSON.parse(stdout) as unknown);
  }

  /** What is wrong with a cluster that is to be owned by the target, by the lab's own records since before any command. */
  async function complaintsAbout(
    cluster: WatchedCluster,
    target: Target,
  ): Promise<readonly string[]> {
    const before = began.get(cluster);
    if (before === undefined) throw new Error('not watched from the beginning');
    const after = await cluster.truth();
    const truth = truthBetween(before, after);
    return [
      ...ownerComplaints(truth, target),
      ...overlapComplaints(truth),
      ...after.contradictions,
      ...fenceComplaints(await cluster.fenceHolder()),
      ...cluster.leftovers().map((file) => `${file} was left behind`),
    ];
  }
});
