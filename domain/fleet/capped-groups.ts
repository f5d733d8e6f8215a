import type { RolloutPolicy, RowPlan } from './fleet-plan.js';

/** The groups of a row for which there is a cap, with it. A group is `label=value`, split at its first `=`. */
export function cappedGroups(
  { caps }: Pick<RolloutPolicy, 'caps'>,
  { groups }: Pick<RowPlan, 'groups'>,
): readonly (readonly [group: string, cap: number])[] {
  return Object.entries(caps).flatMap(([label, cap]) =>
    groups.flatMap((group) => (group.startsWith(`${label}=`) ? [[group, cap] as const] : [])),
  );
}
