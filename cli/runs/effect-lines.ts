import type { ClusterStatus, Verb } from '../../workflows/messages.js';
import { counted } from '../terminal/counted.js';
import { stepTitle } from '../terminal/step-title.js';
import { WHO_RUNS } from '../terminal/who-runs.js';

const TARGETS: Partial<Record<Verb, string>> = {
  rollBack: 'KCM, as before the migration',
  rollForward: 'CCM',
};

/** What turning a run around does, before anybody is asked; nothing for other commands, or where no worker answers. */
export function effectLines(verb: Verb, status: ClusterStatus | null): readonly string[] {
  const target = TARGETS[verb];
  if (target === undefined || status === null) return [];
  const { owner, stepsDone, step, reversibility } = status;
  const first = step === null ? 'at once' : `when ${stepTitle(step)} has ended`;
  return [
    `Target:    ${target}; begins ${first}`,
    `Now:       ${counted(stepsDone.length, 'step')} done, ${WHO_RUNS[owner]}`,
    verb === 'rollBack'
      ? `Rollback:  ${reversibility}`
      : 'Effect:    manifests are changed and managers restarted; no leader for about 1 to 4 s at each change of leader',
  ];
}
