import type { OptionReader } from '../../cli/cli.js';
import { UsageError } from '../../cli/cli-error.js';
import type { Versions } from '../../cli/kubernetes-versions.js';
import { SOURCE_VERSION, TARGET_VERSION, versionsOf } from '../../cli/kubernetes-versions.js';

/** How a demo migrates, and what to expect of it. */
export interface MigrationVariant extends Versions {
  readonly strategy: 'leaderMigration' | 'gap';
  readonly forward: 'replace' | 'inPlace';
  readonly ccm: 'staticPod' | 'daemonSet';
}

export const DEFAULT_VARIANT: MigrationVariant = {
  strategy: 'leaderMigration',
  forward: 'replace',
  ccm: 'staticPod',
  from: SOURCE_VERSION,
  to: TARGET_VERSION,
};

/** Reads the variant from the flags. @throws UsageError for flags that exclude each other. */
export function variantOf(options: OptionReader): MigrationVariant {
  const strategy = options.text('strategy') === 'gap' ? 'gap' : 'leaderMigration';
  const inPlace = options.flag('inPlace');
  if (strategy === 'gap' && !inPlace) {
    throw new UsageError('--strategy gap changes nodes in place: add --in-place');
  }
  return {
    strategy,
    forward: inPlace ? 'inPlace' : 'replace',
    ccm: options.text('ccm') === 'daemonSet' ? 'daemonSet' : 'staticPod',
    ...versionsOf(options),
  };
}

/** What one direction may cost. */
export interface Expectation {
  /** How often the owner changes on the forward migration; null where that depends on which node leads. */
  readonly forwardMoves: number | null;
  readonly longestOrphanSeconds: number;
}

/** Without a standby, the time without an owner is that of a start and an election: the orphan budget of a policy. */
const WITHOUT_STANDBY_SECONDS = 45;
const HANDOVER_SECONDS = 6.5;

/** A lone manager has no standby; with several, the lock passes once among KCMs, as its holder changes last, and once to a CCM. */
export function expectationOf({ strategy }: MigrationVariant, nodes: number): Expectation {
  if (strategy === 'gap') {
    return { forwardMoves: null, longestOrphanSeconds: WITHOUT_STANDBY_SECONDS };
  }
  return { forwardMoves: nodes > 1 ? 2 : null, longestOrphanSeconds: HANDOVER_SECONDS };
}
