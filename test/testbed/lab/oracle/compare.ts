import type { OracleAnswer } from '../../../../testbed/lab/oracle/ask-oracle.js';
import {
  COMPONENTS,
  dispositions,
  registeredCloudController,
  SPELLINGS,
} from '../../../../domain/managers/controller-names.js';
import { parseLeaderMigration } from '../../../../domain/managers/parse-leader-migration.js';
import { CLOUD_CONTROLLERS, type Manager } from '../../../../domain/vocabulary.js';

/** Every name that a controller has or had. */
export const ASKED_NAMES: readonly string[] = Object.values(SPELLINGS).flatMap(
  ({ short, long }) => [short, long],
);

/** Where we deliberately refuse what a binary accepts, and why. */
const STRICTER: readonly { readonly problem: RegExp; readonly why: string }[] = [
  {
    problem: /^resourceLock must be leases: an endpoints lock/,
    why: 'upstream validates it, and client-go refuses to build such a lock after the main lock is won',
  },
  {
    problem: / (?:anchors|aliases|tag \S+) (?:are|is) not allowed/,
    why: 'they hide from a reader what a file says; no such file is known',
  },
  {
    problem: / a tab is not valid indentation/,
    why: 'nearly everywhere it makes the manager exit; elsewhere it has no use',
  },
];

export type Verdict =
  | { readonly kind: 'agree'; readonly accepted: boolean }
  | { readonly kind: 'stricter'; readonly why: string }
  | { readonly kind: 'differ'; readonly how: string };

/** Our interpretation of a file beside that of the binary. */
export function compare(text: string, minor: number, answer: OracleAnswer): Verdict {
  const ours = parseLeaderMigration(text, minor);
  if (ours.kind === 'invalid') {
    if ('error' in answer) return { kind: 'agree', accepted: false };
    const problems = ours.problems.map(({ path, message }) => `${path} ${message}`);
    const known = problems.map((one) => STRICTER.find(({ problem }) => problem.test(one)));
    const [first] = known;
    return first !== undefined && known.every((one) => one !== undefined)
      ? { kind: 'stricter', why: first.why }
      : { kind: 'differ', how: `we refuse: ${problems.join('; ')}` };
  }
  if ('error' in answer) return { kind: 'differ', how: `it refuses: ${answer.error}` };
  if (ours.file.leaderName !== answer.leaderName) {
    return {
      kind: 'differ',
      how: `leaderName ${ours.file.leaderName}, it reads ${answer.leaderName}`,
    };
  }
  const wrong = (['kcm', 'ccm'] as const).flatMap((manager) =>
    wrongOf(manager, minor, ours.file.entries, answer),
  );
  return wrong.length === 0
    ? { kind: 'agree', accepted: true }
    : { kind: 'differ', how: wrong.join('; ') };
}

function wrongOf(
  manager: Manager,
  minor: number,
  entries: Parameters<typeof dispositions>[0],
  answer: Exclude<OracleAnswer, { error: string }>,
): readonly string[] {
  const ours = dispositions(entries, manager, minor);
  const theirs = answer.dispositions[COMPONENTS[manager]] ?? {};
  return CLOUD_CONTROLLERS.flatMap((controller) => {
    const said = theirs[registeredCloudController(controller, minor)] ?? 'nothing';
    return said === ours[controller]
      ? []
      : [`${manager} ${controller}: ${ours[controller]}, it reports ${said}`];
  });
}
