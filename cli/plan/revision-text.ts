import type { RevisedFleet } from '../../domain/fleet/revise-fleet.js';
import type { Theme } from '../terminal/theme.js';
import { counted, someNames } from '../terminal/wording.js';

/** What a new plan changes of an open fleet, for people. */
export function revisionLines(
  fleet: string,
  { state, changes }: RevisedFleet,
  theme: Theme,
): readonly string[] {
  const { joins, leaves, replanned, underWay, waves, policy, keptBudget, approvedAgain } = changes;
  const { pendingLimits } = state;
  return [
    `${theme.paint('strong', `Fleet ${fleet}`)} is open. What the plan changes:`,
    ...clusterLines(
      '+',
      'joining',
      joins.map(({ name, wave }) => `${name} (${wave})`),
    ),
    ...clusterLines('-', 'left out', leaves),
    ...clusterLines(
      '~',
      'moving',
      changes.moves.map(({ name, from, wave }) => `${name} (${from} → ${wave})`),
    ),
    ...clusterLines('~', 'planned again', replanned),
    ...waves.map(({ name, change }) => `  ${SIGNS[change]} wave ${name} ${change}`),
    ...policy.map(({ name, before, after }) => `  ~ ${name}: ${before} → ${after}`),
    ...(underWay === 0 ? [] : [`  ${counted(underWay, 'cluster')} under way, unchanged`]),
    ...(keptBudget === null
      ? []
      : [
          `  ${theme.mark('warning')} the failure budget stays ${keptBudget}; \`budget\` raises it`,
        ]),
    ...(pendingLimits === null
      ? []
      : [`  ${theme.mark('waiting')} higher limits wait for another person`]),
    ...(approvedAgain.length === 0
      ? []
      : [`  ${theme.mark('waiting')} approved again: ${someNames(approvedAgain)}`]),
  ];
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

function clusterLines(sign: string, what: string, names: readonly string[]): readonly string[] {
  return names.length === 0
    ? []
    : [`  ${sign} ${counted(names.length, 'cluster')} ${what}: ${someNames(names)}`];
}
