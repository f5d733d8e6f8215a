import type { ClusterStatus, Verb } from '../../workflows/messages.js';
import { counted } from '../terminal/counted.js';

const TARGETS: Partial<Record<Verb, string>> = {
  rollBack: 'KCM, as before the migration',
  rollForward: 'CCM',
};

/** What turning a run around does, before anybody is asked; nothing for other commands, or where no worker answers. */
export function effectLines(verb: Verb, status: ClusterStatus | null): readonly string[] {
  const target = TARGETS[verb];
  if (target === undefined || status === null) return [];
  const { owner, stepsDone, step, reversibility } = status;
  const first =
    step === null ? 'at once' : `when ${step.name} ${step.node}`.trimEnd() + ' has ended';
  return [
    `Target:    ${target}; begins ${first}`,
    `Now:       ${counted(stepsDone.length, 'step')} done, ${OWNERS[owner]}`,
    verb === 'rollBack'
      ? `Rollback:  ${reversibility}`
      : 'Effect:    manifests are changed and managers restarted; no leader for about 1 to 4 s at each change of leader',
  ];
}

const OWNERS: Readonly<Record<ClusterStatus['owner'], string>> = {
  kcm: 'the KCM runs the cloud controllers',
  ccm: 'the CCM runs the cloud controllers',
  none: 'nobody runs the cloud controllers',
  both: 'KCM and CCM both run cloud controllers',
  unknown: 'it is not known who runs the cloud controllers',
};
