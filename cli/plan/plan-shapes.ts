import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { digestJson } from '../../domain/digest.js';
import { isRecord } from '../../domain/run/operator-command.js';

type PlannedSteps = MigrationPlan['steps'];

/**
 * Equal for clusters with the same steps and changes. Which node comes when does not count, because it follows the leaders
 * of the moment; nor do the names of cluster and nodes, nor anything of a change but the lines that it adds or removes,
 * without digests: addresses around them, and digests of what a cluster has, differ everywhere.
 */
export function shapeKey(plan: MigrationPlan): string {
  const { soakSeconds: _soak, ...policy } = plan.policy;
  const nodes = [...new Set(plan.steps.map(({ node }) => node))];
  return digestJson({
    policy,
    steps: plan.steps.map(({ name, phase }) => ({ name, phase })),
    nodes: nodes.map((node) => nodeKey(plan, node)).sort(),
  });
}

/** What happens to one node, or outside of them, in its order. */
function nodeKey(plan: MigrationPlan, node: string): string {
  const anonymous = anonymized(placeholders(plan, node));
  const steps = plan.steps.filter((step) => step.node === node);
  return digestJson(
    steps.map(({ name, changes }) => ({
      name,
      changes: changes.map(({ subject, action, diff }) => ({
        ...{ action, subject: anonymous(subject) },
        lines: anonymous(changedLines(diff)),
      })),
    })),
  );
}

function placeholders(
  { cluster, steps, observation }: MigrationPlan,
  own: string,
): ReadonlyMap<string, string> {
  const nodes: readonly unknown[] = Array.isArray(observation['nodes']) ? observation['nodes'] : [];
  const observed = nodes.flatMap((node) => (isRecord(node) ? [String(node['name'])] : []));
  const names = [...steps.map(({ node }) => node), ...observed];
  return new Map([
    ...[cluster.uid, cluster.name].map((name) => [name, '<cluster>'] as const),
    ...names.map((name) => [name, name === own ? '<this node>' : '<another node>'] as const),
  ]);
}

/** Longer names first: one may begin with another. */
function anonymized(placeholderOf: ReadonlyMap<string, string>): (text: string) => string {
  const names = [...placeholderOf.keys()].filter((each) => each !== '');
  if (names.length === 0) return (text) => text;
  const longest = names.sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${longest.join('|')})(?![A-Za-z0-9])`, 'g');
  return (text) => text.replace(pattern, (found) => placeholderOf.get(found) ?? found);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function changedLines(diff: string): string {
  return diff
    .split('\n')
    .filter((line) => /^[+-]/.test(line) && !/^(?:---|\+\+\+)/.test(line))
    .join('\n')
    .replace(/sha256:[0-9a-f]{64}/g, 'sha256:');
}

/** Control-plane machines that the steps create and delete. */
export function machineCounts(steps: PlannedSteps): {
  readonly created: number;
  readonly deleted: number;
} {
  const count = (step: string): number => steps.filter(({ name }) => name === step).length;
  return { created: count('addMachine'), deleted: count('removeMachine') };
}
