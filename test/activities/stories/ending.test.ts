import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listFence } from '../../../activities/fence/read-fence.js';
import type { FenceRecord } from '../../../activities/fence/fence-record.js';
import { openEnvironment, type Environment } from '../environment.js';

describe('the end of a run', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 1, workers: 1 } });
  });
  afterEach(() => environment.close());

  const fence = async (): Promise<FenceRecord | null> =>
    (await listFence(environment.ports.api)).fence;
  const close = (epoch: number, changes: Partial<Environment['context']> = {}) =>
    environment.activities.closeRun({
      ...environment.context,
      ...changes,
      epoch,
      outcome: 'stopped',
    });

  it('the end of a run releases the fence though a cancelled attempt has raised its epoch meanwhile', async () => {
    const { epoch } = await environment.fence();
    await environment.fence();
    await close(epoch);
    expect(await fence()).toMatchObject({ runId: '', epoch: epoch + 1, ended: ['run-1'] });
  });

  it('the end of a run is final: a late attempt does not re-acquire the fence', async () => {
    const { epoch } = await environment.fence();
    await close(epoch);
    await expect(environment.fence('late')).rejects.toMatchObject({
      type: 'FenceLost',
      message: expect.stringMatching(/this run has ended/),
    });
    expect(await fence()).toMatchObject({ runId: '', epoch });
    expect(await environment.fence('next', { runId: 'run-2' })).toMatchObject({ epoch: epoch + 1 });
    await expect(
      environment.fence('later still', { takeOver: { reason: 'an old order' } }),
    ).rejects.toMatchObject({ type: 'FenceLost' });
  });

  it('the end of a run is recorded in a fence that is free already, in the planned cluster only', async () => {
    const { epoch } = await environment.fence('other', { runId: 'run-2' });
    await close(epoch, { runId: 'run-2' });
    await close(0, { cluster: { name: 'c1', uid: 'of another one' } });
    expect((await fence())?.ended).toEqual(['run-2']);
    await close(0);
    await close(0);
    expect(await fence()).toMatchObject({ runId: '', epoch, ended: ['run-2', 'run-1'] });
    await expect(environment.fence('late')).rejects.toMatchObject({ type: 'FenceLost' });
  });

  it('the end of a run does not change the fence of another run, or of a later epoch than it knows', async () => {
    const { epoch } = await environment.fence('other', { runId: 'run-2' });
    await close(epoch);
    expect(await fence()).toMatchObject({ runId: 'run-2', ended: [] });
    await close(epoch + 1, { runId: 'run-2' });
    expect(await fence()).toMatchObject({ runId: 'run-2' });
  });
});

describe('a rest', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 1, workers: 1 } });
    await environment.fence();
  });
  afterEach(() => environment.close());

  const mode = async (): Promise<unknown> => (await listFence(environment.ports.api)).fence?.mode;
  const rest = (changes: { epoch: number; runId?: string }): Promise<void> =>
    environment.activities.restFence({ ...environment.context, ...changes });

  it.each([
    ['another run', { epoch: 1, runId: 'run-2' }],
    ['another epoch', { epoch: 2 }],
  ])('a rest of %s changes nothing', async (_name, changes) => {
    await rest(changes);
    expect(await mode()).toBe('active');
  });

  it('a rest happens once, however often it is requested, and succeeds beside a renewal', async () => {
    await rest({ epoch: 1 });
    expect(await mode()).toBe('idle');
    const before = (await environment.journal()).length;
    await rest({ epoch: 1 });
    const after = (await environment.journal()).slice(before);
    expect(
      after.filter(({ mutating, userAgent }) => mutating && userAgent === 'ccm-migrate'),
    ).toEqual([]);
  });

  it('a rest ends with a change of the epoch', async () => {
    await rest({ epoch: 1 });
    await environment.fence();
    expect(await mode()).toBe('active');
  });
});
