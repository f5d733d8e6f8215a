import type { MigrationPlan } from '../../config/outputs/plan.js';
import { counted } from '../terminal/counted.js';
import { shownDuration } from '../terminal/duration.js';

/** What one step takes on a control plane, without what a machine takes to boot: 8 in 27 s and 14 in 97 s (README, the demo). */
const SECONDS_A_STEP = { low: 3, high: 8 } as const;

/** How a plan ends up in numbers: what is added, changed and deleted, how long it takes, and how long nobody leads. */
export function totalLines(plan: MigrationPlan): readonly string[] {
  const { steps, policy } = plan;
  if (steps.length === 0) return [];
  return [changesLine(steps), machinesLine(steps), timeLine(plan), gapLine(policy, plan)].filter(
    (line) => line !== '',
  );
}

type Steps = MigrationPlan['steps'];
type Action = Steps[number]['changes'][number]['action'];

function changesLine(steps: Steps): string {
  const changes = steps.flatMap((step) => step.changes.map((change) => change));
  const count = (action: Action, kind: Kind): number =>
    changes.filter((change) => change.action === action && kindOf(change.subject) === kind).length;
  const words = (action: Action): string =>
    [counted(count(action, 'object'), 'object'), counted(count(action, 'file'), 'file')].join(', ');
  return `Plan:  ${counted(steps.length, 'step')} · add ${words('create')} · change ${words('update')} · delete ${words('delete')}`;
}

type Kind = 'file' | 'object' | 'machine';

function kindOf(subject: string): Kind {
  if (subject.startsWith('machine ')) return 'machine';
  return subject.includes(':/') ? 'file' : 'object';
}

function machinesLine(steps: Steps): string {
  const of = (name: string): readonly string[] =>
    steps.filter((step) => step.name === name).map(({ node }) => node);
  const [added, deleted] = [of('addMachine'), of('removeMachine')];
  if (added.length + deleted.length === 0) return '';
  return `       machines: create ${list(added)} · DELETE ${list(deleted)}`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? '0' : `${String(names.length)} (${names.join(', ')})`;
}

function timeLine({ steps, policy }: MigrationPlan): string {
  const machines = steps.filter(({ name }) => name === 'addMachine').length;
  const [low, high] = [SECONDS_A_STEP.low, SECONDS_A_STEP.high].map((each) =>
    shownAbout(each * steps.length),
  );
  const boot =
    machines === 0 ? '' : ` + ${counted(machines, 'machine')} to boot, at your provider's pace`;
  const soak =
    policy.soakSeconds === 0 ? '' : ` + soak ${shownDuration(policy.soakSeconds * 1000)}`;
  return `Time:  about ${low ?? ''} to ${high ?? ''} for the steps${boot}${soak}; waits for people come on top`;
}

/** Rounded up: nobody can tell it to the second. */
function shownAbout(seconds: number): string {
  return seconds < 60
    ? `${String(Math.ceil(seconds / 10) * 10)} s`
    : `${String(Math.ceil(seconds / 60))} min`;
}

function gapLine({ strategy }: MigrationPlan['policy'], { timings }: MigrationPlan): string {
  const budget = `the run stops above ${shownDuration(timings.orphanBudgetMs)}`;
  return strategy === 'gap'
    ? `Gap:   no leader of the cloud controllers while they change sides, by choice of strategy gap; ${budget}`
    : `Gap:   no leader for about 1 to 4 s at each change of leader (docs/benchmarks.md); ${budget}`;
}
