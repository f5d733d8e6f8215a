import { canonicalJson } from '../digest.js';

/** What the rule does not know of a plan and only compares: the settings of its waves, and the plans of its clusters, each as JSON. */
export interface SettingsTexts {
  readonly waves: readonly string[];
  readonly members: readonly string[];
}

/** Where a wave or a cluster of the revised fleet has its settings from. */
export interface Origin {
  readonly from: 'before' | 'plan';
  readonly index: number;
}

/** What runs are started with, of which the rule sees only whether it changed: of each wave, and of each row. */
export interface Settings<WaveSettings, MemberPlan> {
  readonly waves: readonly WaveSettings[];
  readonly members: readonly MemberPlan[];
}

/** Not hashed: a workflow compares ten thousand of them within one task. */
export function settingsTexts({ waves, members }: Settings<unknown, unknown>): SettingsTexts {
  return { waves: waves.map(canonicalJson), members: members.map(canonicalJson) };
}

/** The settings of a revised fleet, in the order of its waves and rows. */
export function mergedSettings<WaveSettings, MemberPlan>(
  before: Settings<WaveSettings, MemberPlan>,
  plan: Settings<WaveSettings, MemberPlan>,
  origins: Pick<Settings<Origin, Origin>, 'waves' | 'members'>,
): Settings<WaveSettings, MemberPlan> {
  return {
    waves: origins.waves.map((origin) => taken(before.waves, plan.waves, origin)),
    members: origins.members.map((origin) => taken(before.members, plan.members, origin)),
  };
}

function taken<Item>(
  before: readonly Item[],
  plan: readonly Item[],
  { from, index }: Origin,
): Item {
  const item = (from === 'before' ? before : plan)[index];
  if (item === undefined) throw new RangeError(`the plan has no settings ${index}`);
  return item;
}
