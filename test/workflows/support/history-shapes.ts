import { breachSignal } from '../../../workflows/messages.js';
import { policyOf } from '../../support/cluster-builder.js';
import { say, tell, until, type MigrationHandle, type MigrationLab } from './migration-run.js';
import { failure, modelCluster } from './model-cluster.js';

/** A shape that a run can have, recorded once. */
export interface HistoryShape {
  readonly name: string;
  readonly live: (lab: MigrationLab) => Promise<MigrationHandle>;
}

export const SHAPES: readonly HistoryShape[] = [
  { name: 'there', live: there },
  { name: 'turned-around-while-paused', live: turnedAround },
  { name: 'answer-lost', live: answerLost },
  { name: 'breach-and-retry', live: breachAndRetry },
  { name: 'approved-soaked-skipped', live: approvedSoakedSkipped },
  { name: 'cancelled', live: cancelled },
  { name: 'refused', live: refused },
];

async function ended(handle: MigrationHandle): Promise<MigrationHandle> {
  await handle.result().catch(() => undefined);
  return handle;
}

async function there(lab: MigrationLab): Promise<MigrationHandle> {
  return ended(await lab.start(modelCluster('h-there')));
}

async function turnedAround(lab: MigrationLab): Promise<MigrationHandle> {
  const cluster = modelCluster('h-turn');
  const handle = await lab.start(cluster);
  cluster.before = async (_step, nth) => {
    if (nth === 5) await tell(handle, 'pause');
  };
  await until(handle, ({ pause }) => pause === 'paused');
  await say(handle, 'rollBack');
  await say(handle, 'resume');
  return ended(handle);
}

async function answerLost(lab: MigrationLab): Promise<MigrationHandle> {
  const cluster = modelCluster('h-lost');
  cluster.after = (_step, nth) => {
    if (nth === 4) throw failure('Unavailable', 'the answer was lost');
  };
  return ended(await lab.start(cluster));
}

async function breachAndRetry(lab: MigrationLab): Promise<MigrationHandle> {
  const cluster = modelCluster('h-breach');
  const handle = await lab.start(cluster);
  cluster.before = async (_step, nth) => {
    if (nth === 3) {
      await handle.signal(breachSignal, {
        gate: 'nodesReady',
        hardness: 'hard',
        verdict: 'fail',
        detail: 'not Ready: cp-2',
        code: 'CCM3005',
      });
    }
  };
  await until(handle, ({ holdReason }) => holdReason === 'gates');
  await say(handle, 'retry');
  return ended(handle);
}

async function approvedSoakedSkipped(lab: MigrationLab): Promise<MigrationHandle> {
  const cluster = modelCluster('h-soak');
  cluster.soakVerdicts.push([
    { gate: 'latency', hardness: 'soft', verdict: 'fail', detail: 'slow', code: 'CCM3012' },
  ]);
  const policy = policyOf({ soakSeconds: 0.1, handoverApproval: 'required' });
  const handle = await lab.start(cluster, { policy });
  await until(handle, ({ holdReason }) => holdReason === 'approval');
  await say(handle, 'approve');
  await until(handle, ({ holdReason }) => holdReason === 'gates');
  await say(handle, 'skip', { arguments: { code: 'CCM3012' } });
  return ended(handle);
}

async function cancelled(lab: MigrationLab): Promise<MigrationHandle> {
  const cluster = modelCluster('h-cancelled');
  const handle = await lab.start(cluster);
  cluster.before = async (_step, nth) => {
    if (nth === 6) await handle.cancel();
  };
  return ended(handle);
}

async function refused(lab: MigrationLab): Promise<MigrationHandle> {
  const cluster = modelCluster('h-refused');
  cluster.fence.runId = 'another run';
  return ended(await lab.start(cluster));
}
