import type { MigrationPlan } from '../../config/outputs/plan.js';
import { stepTitle } from '../terminal/step-title.js';
import type { Theme } from '../terminal/theme.js';

type PlannedStep = MigrationPlan['steps'][number];
type Change = PlannedStep['changes'][number];

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

/** Lines of one step after the other; remembers which changes were shown, so that nodes which share one show it once. */
export function createStepLines(
  theme: Theme,
  full: boolean,
): (step: PlannedStep) => readonly string[] {
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
          ? [head, ...diffLines(change.diff, theme, full)]
          : [`${head}  ${theme.paint('quiet', `the same change as in ${String(before)}.`)}`];
      }),
    ];
  };
}

/** All that is new, and all that goes, in as few lines as they fit. */
function wholeLines(changes: readonly Change[], theme: Theme): readonly string[] {
  return (['create', 'delete'] as const).flatMap((action) =>
    packed(changes.filter((change) => change.action === action)).map(
      (line) => `     ${SIGNS[action]} ${theme.paint(action === 'delete' ? 'bad' : 'plain', line)}`,
    ),
  );
}

const WIDEST_LIST = 110;

function packed(changes: readonly Change[]): readonly string[] {
  const lines: string[] = [];
  for (const { subject } of changes) {
    const longer = `${lines.at(-1) ?? ''}, ${subject}`;
    if (lines.length > 0 && longer.length <= WIDEST_LIST) lines.splice(-1, 1, longer);
    else lines.push(subject);
  }
  return lines;
}

function isWhole({ action }: Change): boolean {
  return action !== 'update';
}

/** The path of a file whatever its node. */
function placeOf(subject: string): string {
  const at = subject.indexOf(':/');
  return at < 0 ? subject : subject.slice(at + 1);
}

/** In brief without the lines around a change, which `full` shows. */
function diffLines(diff: string, theme: Theme, full: boolean): readonly string[] {
  return diff
    .split('\n')
    .filter((line) => line !== '' && !/^(---|\+\+\+|Index:|={3,})/.test(line))
    .filter((line) => full || !line.startsWith(' '))
    .map((line) => `         ${theme.paint(toneOf(line), line)}`);
}

function toneOf(line: string): 'added' | 'removed' | 'plain' {
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'plain';
}
