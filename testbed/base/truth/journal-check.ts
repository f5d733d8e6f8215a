import { isOwned, type CloudCall, type Truth } from './truth.js';

/** Name of an owner in intervals. */
export function ownerName(process: Pick<CloudCall, 'manager' | 'node' | 'pid'>): string {
  return `${process.manager}:${process.node}#${String(process.pid)}`;
}

/**
 * Cloud calls that the ownership intervals do not explain: calls by a process that, by the recorded truth, did not
 * run the controller at that moment. Empty when both records agree.
 */
export function unexplainedCalls(
  truth: Truth,
  journal: readonly CloudCall[],
): readonly CloudCall[] {
  return journal.filter((call) => {
    const { controller } = call;
    if (!isOwned(controller)) return false;
    return !truth.controllers[controller].intervals.some(
      ({ fromMs, toMs, owners }) =>
        call.atMs >= fromMs &&
        call.atMs <= (toMs ?? truth.nowMs) &&
        owners.includes(ownerName(call)),
    );
  });
}
