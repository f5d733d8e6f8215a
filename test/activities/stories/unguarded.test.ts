import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { manifestPath } from '../../../activities/node-paths.js';
import type { ClusterPorts } from '../../../activities/ports.js';
import { USER_AGENTS } from '../../../config/names.js';
import type { JournalEntry } from '../../../testbed/simulator/control/request-journal.js';
import { unguardedWrites } from '../../support/guarded-writes.js';
import { enabling, NO_JUDGEMENTS, planned } from '../../support/planned.js';
import { endGuards, guardBeside } from '../guard-beside.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const ENABLE = enabling('cp-2');

const RENEW_MS = 5_000;
/** Three intervals, and what a rounded clock and a write in progress may add. */
const LIMIT_MS = 3 * RENEW_MS + 2_000;

const isFence = ({ resource, name }: JournalEntry): boolean =>
  resource === 'leases' && name === 'ccm-migrate';

describe('nothing changes unguarded', () => {
  const cut: { before: (path: string) => Promise<void> | void } = { before: () => undefined };
  let environment: Environment;
  let end = new AbortController();
  beforeEach(async () => {
    cut.before = () => undefined;
    end = new AbortController();
    const wrap = (ports: ClusterPorts): ClusterPorts => ({
      ...ports,
      files: {
        ...ports.files,
        remove: async (node, path, ...rest) => {
          await cut.before(path);
          await ports.files.remove(node, path, ...rest);
        },
      },
    });
    environment = await openEnvironment({ wrap, timings: { fenceRenewMs: RENEW_MS } });
    environment.standIn.present = false;
    await environment.fence();
    await environment.snapshot();
  });
  afterEach(async () => {
    end.abort(new Error('the story is over'));
    await endGuards();
    await environment.close();
  });

  const written = async (): Promise<readonly JournalEntry[]> =>
    (await environment.journal()).filter(
      ({ mutating, tookEffect, userAgent }) =>
        mutating && tookEffect && userAgent === USER_AGENTS.steps,
    );

  it('a step without a guard waits, and then has written nothing but the fence', async () => {
    const beganMs = environment.clock.nowMs();
    await expect(environment.take(ENABLE)).rejects.toMatchObject({
      type: 'Unguarded',
      nonRetryable: false,
      details: [{ wrote: false }],
    });
    const { guardWaitMs } = environment.context.timings;
    expect(environment.clock.nowMs() - beganMs).toBeGreaterThanOrEqual(guardWaitMs);
    expect((await written()).filter((entry) => !isFence(entry))).toEqual([]);
    expect(await environment.evidence()).toHaveLength(2);
  });

  it('acquiring the fence again opens it no more than acquiring it once', async () => {
    for (const nonce of ['again', 'and again']) {
      await environment.fence(nonce);
      await expect(environment.take(ENABLE)).rejects.toMatchObject({ type: 'Unguarded' });
    }
    expect((await written()).filter((entry) => !isFence(entry))).toEqual([]);
  });

  it('a guard that appears during the wait lets the step through', async () => {
    const stepping = environment.takePart(() => environment.take(ENABLE));
    const guarding = environment.takePart(async () => {
      await environment.clock.sleep(10_000);
      return environment.guard(end.signal);
    });
    expect((await stepping).summary.mutations).toBeGreaterThan(0);
    end.abort(new Error('the run is over'));
    await guarding;
    expect(unguardedWrites(await environment.journal(), LIMIT_MS)).toEqual([]);
  });

  it('a guard that ends in the middle of a step stops its next write, which reports it', async () => {
    environment.standIn.present = true;
    cut.before = async (path) => {
      if (path !== manifestPath('kcm')) return;
      cut.before = () => undefined;
      environment.standIn.present = false;
      await environment.clock.sleep(4 * RENEW_MS);
    };
    await expect(environment.take(ENABLE)).rejects.toMatchObject({
      type: 'Unguarded',
      details: [{ wrote: true }],
    });
  });

  it.each([
    ['before anything was begun', { ...ENABLE, node: 'cp-9' }, 'PreconditionFailed', false],
    ['of a step in an old epoch', ENABLE, 'FenceLost', false],
  ] as const)(
    'a failure %s reports that nothing was written',
    async (name, effect, type, wrote) => {
      environment.standIn.present = true;
      if (name.includes('epoch')) {
        await environment.activities.takeFence({
          ...environment.context,
          nonce: 'newer',
          acknowledge: false,
        });
      }
      await expect(environment.take(effect)).rejects.toMatchObject({ type, details: [{ wrote }] });
    },
  );

  it('a mistake of ours in a step reports it too, even where it is only in the log', async () => {
    environment.standIn.present = true;
    cut.before = () => {
      throw new TypeError('no such member');
    };
    await expect(environment.take(ENABLE)).rejects.toMatchObject({
      type: 'Bug',
      nonRetryable: true,
      details: [{ wrote: true }],
    });
  });

  it('a step after a rest waits for a renewal of its guard that is newer than its waking', async () => {
    // A guard that wakes late, and has renewed a moment ago: that renewal would be recent enough for a step.
    const guard = guardBeside(environment, { api: () => ({ watch: refused }) });
    await environment.activities.restFence({ ...environment.context, epoch: 1 });
    await environment.clock.sleep(3 * environment.context.timings.fenceRenewIdleMs + 8_000);
    const { summary } = await environment.takePart(() => environment.take(ENABLE));
    expect(summary.mutations).toBeGreaterThan(0);
    await guard.end();
    expect(unguardedWrites(await environment.journal(), LIMIT_MS)).toEqual([]);
  });

  it('a step after a rest whose guard has gone writes nothing, however recently it was renewed', async () => {
    environment.standIn.present = true;
    await environment.take({ kind: 'recordBaseline' });
    await environment.activities.restFence({ ...environment.context, epoch: 1 });
    environment.standIn.present = false;
    const before = (await written()).filter((entry) => !isFence(entry)).length;
    await expect(environment.take(ENABLE)).rejects.toMatchObject({
      type: 'Unguarded',
      details: [{ wrote: false }],
    });
    expect((await written()).filter((entry) => !isFence(entry))).toHaveLength(before);
  });

  it('cancelling a step that waits for its guard ends it at once', async () => {
    const { createActivities } = await import('../../../activities/index.js');
    const { quietScope } = await import('../../../activities/dependencies.js');
    const { CancelledFailure } = await import('@temporalio/common');
    const controller = new AbortController();
    const { executeStep } = createActivities({
      ...environment.dependencies,
      scope: () => quietScope(controller.signal),
    });
    const stepping = environment.takePart(() =>
      executeStep({
        ...{ ...environment.context, epoch: 1, materials: { ccmManifest: '' }, firstSeen: [] },
        decide: NO_JUDGEMENTS,
        planned: planned({
          ...{ name: 'enableLeaderMigration', phase: 'enableLeaderMigration', why: '', cures: [] },
          effect: ENABLE,
        }),
      }),
    );
    const cancelling = environment.takePart(async () => {
      await environment.clock.sleep(5_000);
      controller.abort(new CancelledFailure('CANCELLED'));
    });
    const error: unknown = await stepping.catch((thrown: unknown) => thrown);
    await cancelling;
    expect(error).toBeInstanceOf(CancelledFailure);
    expect(error).toMatchObject({ details: [{ wrote: false }] });
  });
});

// eslint-disable-next-line require-yield -- refused before anything comes
async function* refused(): AsyncGenerator<never> {
  throw failure('Forbidden', 'no watch');
}
