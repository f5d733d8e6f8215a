import type { PresetName } from './cluster-spec.js';

/** What each preset is, in a line. */
export const PRESETS: Readonly<Record<PresetName, string>> = {
  'in-tree': 'the usual start of a migration',
  'guide-130': "the guide's configuration on 1.28 or later: two owners",
  'ccm-without-lm': 'a CCM beside in-tree KCMs: two owners',
  'external-kcm-with-lm': 'external KCMs hold the lock: no owner',
  'stopped-half-way': 'a manual migration, stopped after the first node',
  migrated: 'finished',
};

export const PRESET_NAMES = Object.keys(PRESETS).filter(isPreset);

function isPreset(text: string): text is PresetName {
  return Object.hasOwn(PRESETS, text);
}
