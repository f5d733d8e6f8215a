import { relative, resolve } from 'node:path';
import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { plannedPolicy } from '../../config/outputs/planned-policy.js';
import { decisiveDigest } from '../../domain/decision/decisive-digest.js';
import type { StepEffect } from '../../domain/decision/step.js';
import type { Finding } from '../../domain/findings/finding.js';
import type { PlanPreview } from '../../domain/model/plan-preview.js';
import { planDigest, steadyObservation } from '../../domain/observation/plan-digest.js';
import type { Target } from '../../domain/vocabulary.js';
import type { PlannedChange } from './working-copies.js';
import type { Inspected } from './inspect-cluster.js';

export interface PlanParts {
  readonly fleet: RunSettings;
  readonly cluster: InventoryCluster;
  readonly target: Target;
  /**
   * The plan names the inventory relative to here: an absolute path is valid on one machine only and discloses its
   * layout.
   */
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

/** A plan as `plan --out` writes it. Plain JSON: anything else is lost before `apply` reads it. */
export function planDocument(parts: PlanParts): MigrationPlan {
  const { fleet, cluster, target, inspected, findings, preview, changes } = parts;
  const content = {
    cluster: { name: cluster.name, uid: inspected.uid, region: cluster.region },
    target,
    // Copies, because the schema's type is not read-only.
    policy: plannedPolicy.parse(asJson(fleet.policy)),
    timings: { ...fleet.timings },
    materials: { ...fleet.materials },
    observation: asJson(steadyObservation(inspected.inspection.snapshot.observation)),
  };
  const { ending } = preview;
  return {
    apiVersion: API_VERSION,
    kind: 'MigrationPlan',
    digest: planDigest(content),
    createdAt: parts.createdAt,
    tool: parts.tool,
    fleet: fleet.name,
    inventoryFile: pathFrom(parts.folder, cluster.inventoryFile),
    ...content,
    observationDigest: decisiveDigest(inspected.inspection.snapshot.observation),
    notChecked: [...inspected.notChecked],
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

/** What JSON keeps of an object. */
export function asJson(value: object): Record<string, unknown> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- an object stays an object through JSON
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

/** A path relative to `folder`: never absolute, which is valid on one machine only and discloses its layout. */
export function pathFrom(folder: string, path: string): string {
  const from = relative(resolve(folder), resolve(path));
  return from === '' ? '.' : from;
}

/** The node or machine that an effect concerns; empty when it concerns the cluster. */
function nodeOfEffect(effect: StepEffect): string {
  if ('node' in effect && typeof effect.node === 'string') return effect.node;
  return 'machine' in effect ? effect.machine : '';
}
