import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { comesAfterProof, wantsApproval } from '../../domain/decision/decide-run.js';
import type { OptionReader } from '../cli.js';
import { diffLines } from '../terminal/diff-text.js';
import type { Theme } from '../terminal/theme.js';
import { counted, shownDuration, stepTitle } from '../terminal/wording.js';
import { sameCluster, typedCommand } from '../typed-command.js';
import { findingLines, previewLines } from './check-text.js';

/**
 * A plan for people: steps with reasons, exact changes and stops, then its end and totals. A change shared by several
 * nodes is shown once, and whole new files only with `full`.
 */
export function planText(plan: MigrationPlan, theme: Theme, full: boolean): string {
  return [
    ...headLines(plan, theme),
    ...stepsWithStops(plan, theme, full),
    '',
    endingLine(plan, theme),
    ...[...plan.ending.findings, ...plan.findings].flatMap((finding) =>
      full || finding.severity !== 'info' ? findingLines(finding, theme) : [],
    ),
    ...totalLines(plan),
    '',
  ].join('\n');
}

/** The same in a few lines, for a question about it. */
export function planSummary(plan: MigrationPlan, theme: Theme): string {
  return [...headLines(plan, theme), endingLine(plan, theme), ...totalLines(plan), ''].join('\n');
}

function headLines(plan: MigrationPlan, theme: Theme): readonly string[] {
  const { cluster, target, fleet, digest } = plan;
  return [
    `${theme.paint('strong', `${cluster.name} · Target: ${target.toUpperCase()}`)} · fleet ${fleet} · plan ${shortDigest(digest)}`,
    ...previewLines(plan.notChecked, theme),
  ];
}

/** Steps with their reasons, exact changes and stops. */
export function stepsWithStops(
  plan: Pick<MigrationPlan, 'steps' | 'policy' | 'target' | 'ending'>,
  theme: Theme,
  full: boolean,
): readonly string[] {
  const { steps, policy, target } = plan;
  const linesOf = createStepLines(theme, full);
  const [approval, proof] = [
    steps.find((step) => wantsApproval(planned(step), policy, target)),
    steps.find((step) => comesAfterProof(planned(step), target)),
  ];
  const stop = (text: string): string => `     ${theme.mark('held')} ${text}`;
  const soak =
    policy.soakSeconds === 0 ? '' : `, then a soak of ${shownDuration(policy.soakSeconds * 1000)}`;
  const probing = policy.probes === undefined ? '' : 'probe of a load balancer; ';
  const proves = stop(
    `${probing}verify: load balancers, Nodes and providerIDs are what they were${soak}`,
  );
  const lines = steps.flatMap((step) => [
    ...(step === approval ? [stop('waits for an approval: ccm-migrate approve')] : []),
    ...(step === proof ? [proves] : []),
    ...linesOf(step),
  ]);
  if (steps.length === 0) return [];
  return [
    ...lines,
    ...(proof === undefined && plan.ending.kind === 'done' ? [proves] : []),
    theme.paint('quiet', ORDER),
  ];
}

const ORDER =
  'The run picks the order of nodes by who leads at that time: the leader comes last. Waits for elections come on top.';

type PlannedStep = Parameters<typeof wantsApproval>[0];

function planned({ name, phase }: MigrationPlan['steps'][number]): PlannedStep {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the rules supply these names; an unknown one has no effect
  return { name, phase } as PlannedStep;
}

function endingLine({ ending, target, steps }: MigrationPlan, theme: Theme): string {
  switch (ending.kind) {
    case 'done':
      return steps.length === 0
        ? `${theme.mark('ok')} no changes: the ${target.toUpperCase()} already runs the cloud controllers`
        : `${theme.mark('ok')} ends with the ${target.toUpperCase()} running the cloud controllers`;
    case 'blocked':
      return `${theme.mark('failed')} blocked: there is no safe next step`;
    case 'step':
      return `${theme.mark('failed')} does not converge: report this as a bug`;
  }
}

/** The command to type after reading a plan. */
export function nextLine(
  plan: MigrationPlan,
  savedAs: string | null,
  options: OptionReader,
): string {
  return `Nothing was changed.\nNext: ${typedCommand(nextText(plan, savedAs, options))}`;
}

function nextText(
  { steps, target, notChecked, ending }: MigrationPlan,
  savedAs: string | null,
  options: OptionReader,
): readonly string[] {
  const same = sameCluster(options);
  if (steps.length === 0 || notChecked.length > 0 || ending.kind !== 'done')
    return ['check', ...same];
  return savedAs === null
    ? ['plan', ...same, '--target', target, '--out', 'plan.json']
    : ['apply', savedAs, '--reason', '…', '--watch'];
}

export function shortDigest(digest: string): string {
  return `${digest.slice(0, 'sha256:'.length + 12)}…`;
}

/** Time of one step on a control plane, without a machine's boot time: 8 in 27 s and 14 in 97 s (README, the demo). */
export const SECONDS_A_STEP = { low: 3, high: 8 } as const;

/** The plan in numbers: what is added, changed and deleted, how long it takes, and how long there is no leader. */
function totalLines(plan: MigrationPlan): readonly string[] {
  const { steps, policy } = plan;
  if (steps.length === 0) return [];
  return [
    changesLine(steps),
    machinesLine(steps),
    timeLine(plan),
    gapLine(policy),
    probeLine(plan),
  ].filter((line) => line !== '');
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
    machines === 0 ? '' : ` + ${counted(machines, 'machine')} to boot, depending on your provider`;
  const soak =
    policy.soakSeconds === 0 ? '' : ` + soak ${shownDuration(policy.soakSeconds * 1000)}`;
  return `Time:  about ${low ?? ''} to ${high ?? ''} for the steps${boot}${soak}; waits for operators come on top`;
}

/** Rounded up: the estimate is not exact to the second. */
function shownAbout(seconds: number): string {
  return seconds < 60
    ? `${String(Math.ceil(seconds / 10) * 10)} s`
    : `${String(Math.ceil(seconds / 60))} min`;
}

function gapLine({ strategy, orphanBudgetMs }: MigrationPlan['policy']): string {
  const budget = `the run stops above ${shownDuration(orphanBudgetMs)}`;
  return strategy === 'gap'
    ? `Gap:   no leader of the cloud controllers while ownership moves, by choice of strategy gap; ${budget}`
    : `Gap:   no leader for about 1 to 4 s at each change of leader (docs/benchmarks.md); ${budget}`;
}

/** What the probes cost: load balancers are paid for, and counted in quotas. */
function probeLine({ policy: { probes }, target }: MigrationPlan): string {
  if (probes === undefined) return '';
  const most = shownDuration(3 * probes.balancer.withinMs);
  const when = target === 'ccm' ? 'before the first change and after the handover' : 'at the end';
  return `Probe: one load balancer ${when}, each for about a minute and at most ${most} (gates.probes.balancer)`;
}

type ShownStep = MigrationPlan['steps'][number];
type ShownChange = ShownStep['changes'][number];

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/**
 * The lines of one step after the other; remembers the changes already shown, so that nodes with the same change show
 * it once.
 */
function createStepLines(theme: Theme, full: boolean): (step: ShownStep) => readonly string[] {
  const shownIn = new Map<string, number>();
  return ({ number, name, node, why, changes }) => {
    const title = theme.paint('strong', stepTitle({ name, node }));
    const brief = full ? [] : changes.filter(isWhole);
    const others = changes.filter((change) => !brief.includes(change));
    return [
      `${String(number).padStart(3)}. ${title}  ${theme.paint('quiet', why)}`,
      ...wholeLines(brief, theme),
      ...others.flatMap((change) => {
        const key = `${change.action} ${placeOf(change.subject)} ${change.diff}`;
        const before = shownIn.get(key);
        if (before === undefined) shownIn.set(key, number);
        const head = `     ${SIGNS[change.action]} ${change.subject}`;
        return before === undefined || full
          ? [head, ...shownDiff(change.diff, theme, full)]
          : [`${head}  ${theme.paint('quiet', `the same change as in ${String(before)}.`)}`];
      }),
    ];
  };
}

/** Everything added and deleted, in as few lines as fit. */
function wholeLines(changes: readonly ShownChange[], theme: Theme): readonly string[] {
  return (['create', 'delete'] as const).flatMap((action) =>
    packed(changes.filter((change) => change.action === action)).map(
      (line) => `     ${SIGNS[action]} ${theme.paint(action === 'delete' ? 'bad' : 'plain', line)}`,
    ),
  );
}

const WIDEST_LIST = 110;

function packed(changes: readonly ShownChange[]): readonly string[] {
  const lines: string[] = [];
  for (const { subject } of changes) {
    const longer = `${lines.at(-1) ?? ''}, ${subject}`;
    if (lines.length > 0 && longer.length <= WIDEST_LIST) lines.splice(-1, 1, longer);
    else lines.push(subject);
  }
  return lines;
}

function isWhole({ action }: ShownChange): boolean {
  return action !== 'update';
}

/** The path of a file whatever its node. */
function placeOf(subject: string): string {
  const at = subject.indexOf(':/');
  return at < 0 ? subject : subject.slice(at + 1);
}

/** The summary drops the context lines around a change; `full` shows them. */
function shownDiff(diff: string, theme: Theme, full: boolean): readonly string[] {
  return diffLines(diff, theme, full).map((line) => `         ${line}`);
}
