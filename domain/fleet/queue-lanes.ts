import { cappedGroups } from './capped-groups.js';
import type { RolloutPolicy } from './fleet-plan.js';
import type { Row } from './fleet-state.js';
import type { RowLanes } from './row-index.js';

/**
 * The rows that ask for a slot, in lanes whose rows are kept back by the same things, so that a wave that is not open, a full
 * group or a spent budget is found once and not for each row behind it.
 */
export function queueLanes(
  policy: Pick<RolloutPolicy, 'caps'>,
  { name, asks, order }: SlotQueue,
): RowLanes {
  return {
    // The lanes are those of these caps.
    name: [name, ...Object.keys(policy.caps)].join(' '),
    ...{ includes: asks, order },
    laneOf: (row) => {
      const { wave, canary, burntMs, lastPass, asked, rehearsal } = row;
      const standing = [canary, burntMs !== null, lastPass, asked, rehearsal === 'back'];
      return [wave, ...standing, ...capped(policy, row)].join(' ');
    },
  };
}

/** Who asks for a slot, and in which order; no two rows are equal in it. */
export interface SlotQueue {
  readonly name: string;
  readonly asks: (row: Row) => boolean;
  readonly order: (a: Row, b: Row) => number;
}

/**
 * What all rows of a lane have in common, as a row that nothing of its own keeps back: it needs no time, has waited long enough,
 * and is in no group that only some of them are in. Whatever keeps it back keeps back each of them.
 */
export function laneWide(policy: Pick<RolloutPolicy, 'caps'>, row: Row): Row {
  return {
    ...row,
    ...{ index: NO_ROW, groups: capped(policy, row), expectedMs: 0, notBeforeMs: 0 },
    ...{ ready: true, stopping: false },
  };
}

/** No brake is on it. */
const NO_ROW = -1;

function capped(policy: Pick<RolloutPolicy, 'caps'>, row: Row): readonly string[] {
  return cappedGroups(policy, row).map(([group]) => group);
}
