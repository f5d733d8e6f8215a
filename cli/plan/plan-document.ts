import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import type { MigrationPlan } from '../../config/outputs/plan.js';
import { decisionDigest } from '../../domain/advance/observation-digest.js';
import { digestJson } from '../../domain/digest.js';
import type { Finding } from '../../domain/finding.js';
import type { PlanPreview } from '../../domain/plan/preview.js';
import type { Target } from '../../domain/vocabulary.js';
import type { PlannedChange } from './drafts.js';
import type { Inspected } from './inspect-cluster.js';
import { steadyObservation } from './steady-observation.js';
import { nodeOfEffect } from './step-node.js';

export interface PlanParts {
  readonly fleet: Fleet;
  readonly cluster: InventoryCluster;
  readonly target: Target;
  readonly inspected: Inspected;
  readonly findings: readonly Finding[];
  readonly preview: PlanPreview;
  /** Diffs of each step, in order. */
  readonly changes: readonly (readonly PlannedChange[])[];
  readonly tool: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A plan as `plan --out` writes it. Plain JSON: what is not JSON would be lost on the way to `apply`. */
export function planDocument(parts: PlanParts): MigrationPlan {
  const { fleet, cluster, target, inspected, findings, preview, changes } = parts;
  const content = {
    cluster: { name: cluster.name, uid: inspected.uid, region: cluster.region },
    target,
    policy: asJson(fleet.policy),
    timings: { ...fleet.timings },
    materials: { ...fleet.materials },
    observation: asJson(steadyObservation(inspected.inspection.look.observation)),
  };
  const { ending } = preview;
  return {
    apiVersion: API_VERSION,
    kind: 'MigrationPlan',
    digest: planDigest(content),
    createdAt: parts.createdAt,
    tool: parts.tool,
    fleet: fleet.name,
    inventoryFile: fleet.inventoryFile,
    ...content,
    observationDigest: decisionDigest(inspected.inspection.look.observation),
    findings: [...findings],
    steps: preview.steps.map(({ step }, index) => ({
      number: index + 1,
      name: step.name,
      phase: step.phase,
      node: nodeOfEffect(step.effect),
      why: step.why,
      changes: [...(changes[index] ?? [])],
    })),
    ending: { kind: ending.kind, findings: ending.kind === 'blocked' ? [...ending.findings] : [] },
  };
}

/** Over all that decides what a run does: not over the steps, which follow from it and from who leads now. */
export function planDigest(
  content: Pick<
    MigrationPlan,
    'cluster' | 'target' | 'policy' | 'timings' | 'materials' | 'observation'
  >,
): string {
  const { cluster, target, policy, timings, materials, observation } = content;
  return digestJson({ uid: cluster.uid, target, policy, timings, materials, observation });
}

function asJson(value: object): Record<string, unknown> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- an object stays an object through JSON
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
