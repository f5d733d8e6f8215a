import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import type { MigrationPlan } from '../../config/outputs/plan.js';
import { plannedPolicy } from '../../config/outputs/planned-policy.js';
import { decisiveDigest } from '../../domain/decision/decisive-digest.js';
import type { Finding } from '../../domain/finding.js';
import { planDigest } from '../../domain/plan/plan-digest.js';
import type { PlanPreview } from '../../domain/plan/preview.js';
import { steadyObservation } from '../../domain/plan/steady-observation.js';
import type { Target } from '../../domain/vocabulary.js';
import type { PlannedChange } from './drafts.js';
import type { Inspected } from './inspect-cluster.js';
import { pathFrom } from './path-from.js';
import { nodeOfEffect } from './step-node.js';

export interface PlanParts {
  readonly fleet: Fleet;
  readonly cluster: InventoryCluster;
  readonly target: Target;
  /** The plan names the inventory from here: an absolute path would be of one machine, and tell about it. */
  readonly folder: string;
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
    // Copies, because what a schema gives is not read-only.
    policy: plannedPolicy.parse(asJson(fleet.policy)),
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
    inventoryFile: pathFrom(parts.folder, fleet.inventoryFile),
    ...content,
    observationDigest: decisiveDigest(inspected.inspection.look.observation),
    notLookedAt: [...inspected.notLookedAt],
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

function asJson(value: object): Record<string, unknown> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- an object stays an object through JSON
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}
