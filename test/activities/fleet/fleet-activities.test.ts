import { describe, expect, it } from '@jest/globals';
import { quietScope } from '../../../activities/dependencies.js';
import { createFleetActivities } from '../../../activities/fleet/fleet-activities.js';
import type { ActivityScope } from '../../../activities/dependencies.js';
import type { RunStart } from '../../../activities/run-start.js';
import { clusterWorkflowId } from '../../../config/names.js';
import { encodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import { beginFleet } from '../../../domain/fleet/fleet-state.js';
import type { RunOutcome } from '../../../domain/run/outcome.js';
import { fleetInputOf } from '../../support/fleet-input.js';
import { OUTCOME } from '../../support/run-outcome.js';
import {
  CASES,
  type FleetPlace,
  fleetActivitiesContract,
  groupsOfCase,
  UNCAPPED,
} from './fleet-activities.contract.js';
import { MemoryDirectory } from './memory-directory.js';

const REF = { fleetWorkflowId: 'fleet-migration/f', fleetRun: 'run-1', execution: 'execution-1' };

function opened(scope: ActivityScope = quietScope()) {
  const directory = new MemoryDirectory();
  directory.inputs.set(
    REF.execution,
    fleetInputOf({ rows: CASES.map((name) => ({ name, groups: groupsOfCase(name) })) }),
  );
  const clock = {
    nowMs: () => directory.nowMs,
    sleep: (ms: number) => {
      directory.nowMs += ms;
      return Promise.resolve();
    },
  };
  const activities = createFleetActivities({ directory, clock, scope: () => scope });
  return { directory, activities };
}

fleetActivitiesContract('runs in memory', () => {
  const { directory, activities } = opened();
  const runsOf = (name: string) => directory.runs.get(clusterWorkflowId(name)) ?? [];
  const place: FleetPlace = {
    ...{ activities, ref: REF },
    row: (name) => CASES.findIndex((each) => each === name),
    nowMs: () => directory.nowMs,
    loseNextAnswer: () => {
      directory.afterStart = () => {
        directory.afterStart = () => undefined;
        throw new Error('the answer was lost');
      };
    },
    startAlone: (name, changes, requestId = `alone ${name}`, groups = UNCAPPED) =>
      directory.start({ ...alone(name), ...changes }, requestId, groups),
    end: (name, how) => {
      directory.nowMs += 1;
      directory.close(clusterWorkflowId(name), how === 'terminated' ? null : outcome(how));
      directory.nowMs += 1;
      return Promise.resolve();
    },
    startsOf: (name) => Promise.resolve(runsOf(name).length),
    planDigestOf: (name) => Promise.resolve(runsOf(name).at(-1)?.start.planDigest ?? ''),
    until: (ask) => ask(),
    close: () => Promise.resolve(),
  };
  return Promise.resolve(place);
});

function outcome(kind: 'done' | 'stopped'): RunOutcome {
  return { ...OUTCOME, kind };
}

function alone(name: string): RunStart {
  const input = fleetInputOf({ rows: [{ name }] });
  const [wave] = input.given?.waves ?? [];
  if (wave === undefined) throw new Error('the fleet has no wave');
  const { policy, timings, materials } = wave;
  return {
    cluster: { name, uid: name },
    ...{ region: 'test', fleet: 'f', wave: '', target: 'ccm', ticket: '' },
    ...{ policy, timings, materials, planDigest: `sha256:${name}`, actor: 'cy', reason: 'CHG-9' },
  };
}

const start = (row: number, grant = 1) =>
  ({ row, grant, target: 'ccm', actor: 'ana', reason: 'CHG-1' }) as const;

describe('starting clusters', () => {
  it('a cluster whose region no worker serves is not started', async () => {
    const { directory, activities } = opened();
    directory.unserved.push('test');
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0)] });
    expect(answer).toMatchObject({
      answer: 'unreachable',
      signature: expect.stringContaining('test'),
    });
    expect(directory.runs.size).toBe(0);
  });

  it('a cluster whose region has no room for its guard is queued, which is no trouble', async () => {
    const { directory, activities } = opened();
    directory.full.push('test');
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0)] });
    expect(answer).toMatchObject({
      ...{ answer: 'queued', signature: 'worker of region test is full or busy' },
    });
    expect(directory.runs.size).toBe(0);
  });

  it('a rollback is started where its guard has to wait: it is then the next one', async () => {
    const { directory, activities } = opened();
    directory.full.push('test');
    const starts = [{ ...start(0), target: 'kcm' } as const];
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts });
    expect(answer).toMatchObject({ answer: 'started' });
  });

  it('the run names its row, its wave, and who asked', async () => {
    const { directory, activities } = opened();
    await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0, 3)] });
    expect(directory.runs.get(clusterWorkflowId('fresh'))?.[0]?.start).toMatchObject({
      ...{ fleet: 'fleet', wave: 'wave-0', actor: 'ana', reason: 'CHG-1', region: 'test' },
      member: { fleetWorkflowId: 'fleet-migration/f', fleetRun: 'run-1', row: 0, grant: 3 },
    });
  });

  it('an earlier run of the row that is about to close is awaited', async () => {
    const { directory, activities } = opened();
    const asked = { ...REF, askedAtMs: 0 };
    await activities.startClusters({ ...asked, starts: [start(0)] });
    const describe = directory.describe.bind(directory);
    let times = 0;
    directory.describe = (workflowId) => {
      times += 1;
      if (times === 3) directory.close(workflowId, OUTCOME);
      return describe(workflowId);
    };
    const [answer] = await activities.startClusters({ ...asked, starts: [start(0, 2)] });
    expect(answer).toMatchObject({ answer: 'started' });
    expect(directory.runs.get(clusterWorkflowId('fresh'))).toHaveLength(2);
  });

  it('an earlier run of the row that does not close keeps the cluster busy', async () => {
    const { directory, activities } = opened();
    const asked = { ...REF, askedAtMs: 0 };
    await activities.startClusters({ ...asked, starts: [start(0)] });
    const [answer] = await activities.startClusters({ ...asked, starts: [start(0, 2)] });
    expect(answer).toMatchObject({ answer: 'busy' });
    expect(directory.nowMs).toBeGreaterThan(20_000);
  });

  it('a run that takes the cluster in the meantime keeps it', async () => {
    const { directory, activities } = opened();
    const begin = directory.start.bind(directory);
    directory.start = async (given, requestId) => {
      await begin({ ...alone('fresh') }, 'faster');
      return begin(given, requestId);
    };
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0)] });
    expect(answer).toMatchObject({ answer: 'busy', signature: 'a run of its own by cy: CHG-9' });
  });

  it('another try after a run that changed nothing keeps the plan', async () => {
    const { directory, activities } = opened();
    const asked = { ...REF, askedAtMs: 0 };
    await activities.startClusters({ ...asked, starts: [start(0)] });
    directory.close(clusterWorkflowId('fresh'), { ...OUTCOME, kind: 'refused', stepsDone: 0 });
    await activities.startClusters({ ...asked, starts: [start(0, 2)] });
    const digests = directory.runs
      .get(clusterWorkflowId('fresh'))
      ?.map((run) => run.start.planDigest);
    expect(digests).toEqual(['sha256:fresh', 'sha256:fresh']);
  });

  it('a run that does not say where it goes is not adopted', async () => {
    const { directory, activities } = opened();
    await directory.start(alone('fresh'), 'alone');
    directory.direction = () => Promise.resolve(null);
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0)] });
    expect(answer).toMatchObject({ answer: 'busy' });
  });

  it('a run that another fleet has adopted is not adopted', async () => {
    const { directory, activities } = opened();
    await directory.start(alone('fresh'), 'alone');
    const direction = { fleet: 'other', target: 'ccm', planDigest: 'sha256:fresh' } as const;
    directory.direction = () => Promise.resolve(direction);
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0)] });
    expect(answer).toMatchObject({ answer: 'busy', signature: 'fleet other' });
  });

  it('a run of its own that cannot be told is asked again later, and has not ended', async () => {
    const { directory, activities } = opened();
    await directory.start(alone('fresh'), 'alone');
    directory.away.add(clusterWorkflowId('fresh'));
    const [answer] = await activities.startClusters({ ...REF, askedAtMs: 0, starts: [start(0)] });
    expect(answer).toMatchObject({ answer: 'queued', signature: 'its run could not be told' });
  });

  it('a later execution of the fleet starts the same clusters', async () => {
    const { directory, activities } = opened();
    const input = fleetInputOf({ rows: [{ name: 'late', groups: ['zone=a', 'rack=x'] }] });
    const { given } = input;
    if (given === null) throw new Error('no plan');
    const state = encodeFleet(beginFleet({ ...given.plan, fleetRun: 'run-1' }, 0));
    const carried = {
      ...{ state, outbox: { starts: [], messages: [] }, requests: [] },
      ...{ sweptAtMs: 0, openUntilMs: 0, waves: given.waves, members: given.members },
    };
    directory.inputs.set('execution-2', { ...input, given: null, carried });
    const later = { ...REF, execution: 'execution-2', askedAtMs: 0, starts: [start(0)] };
    await activities.startClusters(later);
    await activities.startClusters(later);
    expect(directory.runs.get(clusterWorkflowId('late'))?.[0]).toMatchObject({
      start: { wave: 'wave-0', planDigest: 'sha256:late' },
      groups: ['zone=a', 'rack=x'],
    });
    expect(directory.inputsRead).toBe(1);
  });
});

describe('telling runs', () => {
  const messages = Array.from({ length: 40 }, (_, row) => ({
    ...{ fleetRun: 'run-1', row: row % CASES.length, grant: row, order: { kind: 'park' } as const },
  }));

  it('the next attempt goes on behind the position of the last one', async () => {
    const beats: unknown[] = [];
    const first = opened({ ...quietScope(), heartbeat: (details) => void beats.push(details) });
    await first.activities.broadcast({ ...REF, messages });
    const again = opened({ ...quietScope(), lastHeartbeat: beats[0] });
    await again.directory.start(alone('fresh'), 'alone');
    const deliveries = await again.activities.broadcast({ ...REF, messages });
    expect(deliveries).toHaveLength(40);
    const told = again.directory.runs.get(clusterWorkflowId('fresh'))?.[0]?.orders;
    expect(told?.map(({ grant }) => grant)).toEqual([]);
    expect(deliveries[0]).toMatchObject({ outcome: 'over', grant: 0 });
  });

  it('a run that cannot be reached does not keep the others from being told', async () => {
    const { directory, activities } = opened();
    await directory.start(alone('repeated'), 'alone');
    directory.away.add(clusterWorkflowId('fresh'));
    const deliveries = await activities.broadcast({ ...REF, messages: messages.slice(0, 2) });
    expect(deliveries.map(({ outcome }) => outcome)).toEqual(['unreachable', 'sent']);
  });
});

describe('a sweep', () => {
  it('counts a run that another has replaced, or that no one remembers, as terminated', async () => {
    const { directory, activities } = opened();
    const member = { fleetWorkflowId: 'x', fleetRun: 'other', row: 0, grant: 1 };
    await directory.start({ ...alone('fresh'), member }, 'other');
    const rows = [0, 1].map((row) => ({ row, grant: 1 }));
    const { found } = await activities.sweep({ ...REF, rows });
    expect(found.map((each) => each.found)).toEqual([
      { kind: 'terminated' },
      { kind: 'terminated' },
    ]);
  });

  it('counts a run that refused its input as refused: nothing ended it from outside', async () => {
    const { directory, activities } = opened();
    const closed = { kind: 'closed', closedAtMs: 1, outcome: null, refusedInput: true } as const;
    directory.describe = () =>
      Promise.resolve({ ...closed, actor: '', reason: '', fleet: '', member: null });
    const { found } = await activities.sweep({ ...REF, rows: [{ row: 0, grant: 1 }] });
    expect(found[0]?.found).toMatchObject({
      ...{ kind: 'ended', outcome: 'refused', signature: 'CCM5003', changed: false },
    });
  });

  it('names the regions that no worker serves', async () => {
    const { directory, activities } = opened();
    directory.unserved.push('test');
    const { unservedRegions } = await activities.sweep({ ...REF, rows: [{ row: 0, grant: 1 }] });
    expect(unservedRegions).toEqual(['test']);
  });

  it('does not name one whose workers are full', async () => {
    const { directory, activities } = opened();
    directory.full.push('test');
    const { unservedRegions } = await activities.sweep({ ...REF, rows: [{ row: 0, grant: 1 }] });
    expect(unservedRegions).toEqual([]);
  });
});

describe('openings', () => {
  it('come from the windows of scheduled waves', async () => {
    const { directory, activities } = opened();
    const window = { days: ['Mo'], from: '20:00', to: '22:00', timeZone: 'UTC' };
    const input = fleetInputOf({
      waves: [{}, { scheduled: true }],
      rows: [{ name: 'a' }, { name: 'b', wave: 1 }],
      windows: [window],
    });
    directory.inputs.set(REF.execution, input);
    // 1970-01-05 was a Monday.
    const monday = 4 * 86_400_000;
    const range = { fromMs: monday, untilMs: monday + 86_400_000 };
    expect(await activities.windowOpenings({ ...REF, ...range })).toEqual([
      {
        wave: 1,
        openings: [
          {
            opensAtMs: monday + 20 * 3_600_000,
            closesAtMs: monday + 22 * 3_600_000,
            closedBy: 'window',
          },
        ],
      },
    ]);
    const strange = { ...window, days: ['Someday'] };
    const other = fleetInputOf({ waves: [{ scheduled: true }], rows: [], windows: [strange] });
    directory.inputs.set('execution-2', other);
    const asked = { ...REF, ...range, execution: 'execution-2' };
    await expect(activities.windowOpenings(asked)).rejects.toThrow(/cannot read its windows/);
  });
});
