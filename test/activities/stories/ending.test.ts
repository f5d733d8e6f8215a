import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listFence } from '../../../activities/fence/read-fence.js';
import type { FenceRecord } from '../../../activities/fence/fence-record.js';
import { openStage, type Stage } from '../stage.js';

describe('the end of a run', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({ spec: { nodes: 1, workers: 1 } });
  });
  afterEach(() => stage.close());

  const fence = async (): Promise<FenceRecord | null> => (await listFence(stage.ports.api)).fence;
  const close = (epoch: number, changes: Partial<Stage['context']> = {}) =>
    stage.activities.closeRun({ ...stage.context, ...changes, epoch, outcome: 'stopped' });

  it('the end of a run releases the fence though a cancelled attempt has raised its epoch meanwhile', async () => {
    const { epoch } = await stage.fence();
    await stage.fence();
    await close(epoch);
    expect(await fence()).toMatchObject({ runId: '', epoch: epoch + 1, ended: ['run-1'] });
  });

  it('the end of a run is final: a late attempt does not re-acquire the fence', async () => {
    const { epoch } = await stage.fence();
    await close(epoch);
    await expect(stage.fence('late')).rejects.toMatchObject({
      type: 'FenceLost',
      message: expect.stringMatching(/this run has ended/),
    });
    expect(await fence()).toMatchObject({ runId: '', epoch });
    expect(await stage.fence('next', { runId: 'run-2' })).toMatchObject({ epoch: epoch + 1 });
    await expect(
      stage.fence('later still', { takeOver: { reason: 'an old order' } }),
    ).rejects.toMatchObject({ type: 'FenceLost' });
  });

  it('the end of a run is recorded in a fence that is free already, in the planned cluster only', async () => {
    const { epoch } = await stage.fence('other', { runId: 'run-2' });
    await close(epoch, { runId: 'run-2' });
    await close(0, { cluster: { name: 'c1', uid: 'of another one' } });
    expect((await fence())?.ended).toEqual(['run-2']);
    await close(0);
    await close(0);
    expect(await fence()).toMatchObject({ runId: '', epoch, ended: ['run-2', 'run-1'] });
    await expect(stage.fence('late')).rejects.toMatchObject({ type: 'FenceLost' });
  });

  it('the end of a run does not change the fence of another run, or of a later epoch than it knows', async () => {
    const { epoch } = await stage.fence('other', { runId: 'run-2' });
    await close(epoch);
    expect(await fence()).toMatchObject({ runId: 'run-2', ended: [] });
    await close(epoch + 1, { runId: 'run-2' });
    expect(await fence()).toMatchObject({ runId: 'run-2' });
  });
});

describe('a rest', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({ spec: { nodes: 1, workers: 1 } });
    await stage.fence();
  });
  afterEach(() => stage.close());

  const mode = async (): Promise<unknown> => (await listFence(stage.ports.api)).fence?.mode;
  const rest = (changes: { epoch: number; runId?: string }): Promise<void> =>
    stage.activities.restFence({ ...stage.context, ...changes });

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
    const before = (await stage.journal()).length;
    await rest({ epoch: 1 });
    const after = (await stage.journal()).slice(before);
    expect(
      after.filter(({ mutating, userAgent }) => mutating && userAgent === 'ccm-migrate'),
    ).toEqual([]);
  });

  it('a rest ends with a change of the epoch', async () => {
    await rest({ epoch: 1 });
    await stage.fence();
    expect(await mode()).toBe('active');
  });
});
