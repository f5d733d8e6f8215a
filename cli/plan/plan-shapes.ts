import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { digestJson } from '../../domain/digest.js';
import { isRecord } from '../../domain/run/operator-command.js';

type PlannedSteps = MigrationPlan['steps'];

/**
 * Equal for clusters with the same steps and changes. Names of the cluster and its nodes count only by their order, and of
 * a change only the lines that it adds or removes, without digests: addresses around them, and digests of what a cluster
 * has, differ everywhere.
 */
export function shapeKey(plan: MigrationPlan): string {
  const { soakSeconds: _soak, ...policy } = plan.policy;
  const anonymous = anonymized(namesOf(plan));
  const steps = plan.steps.map(({ name, phase, node, changes }) => ({
    ...{ name, phase, node: anonymous(node) },
    changes: changes.map(({ subject, action, diff }) => ({
      ...{ action, subject: anonymous(subject) },
      lines: anonymous(changedLines(diff)),
    })),
  }));
  return digestJson({ policy, steps });
}

/** In the order of the steps, then of the observation. */
function namesOf({ cluster, steps, observation }: MigrationPlan): readonly string[] {
  const nodes: readonly unknown[] = Array.isArray(observation['nodes']) ? observation['nodes'] : [];
  const observed = nodes.flatMap((node) => (isRecord(node) ? [String(node['name'])] : [])).sort();
  return [...new Set([cluster.uid, ...steps.map(({ node }) => node), ...observed, cluster.name])];
}

/** Longer names first: one may begin with another. */
function anonymized(names: readonly string[]): (text: string) => string {
  const known = new Map(names.filter((each) => each !== '').map((each, at) => [each, `<${at}>`]));
  if (known.size === 0) return (text) => text;
  const longest = [...known.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${longest.join('|')})(?![A-Za-z0-9])`, 'g');
  return (text) => text.replace(pattern, (found) => known.get(found) ?? found);
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
