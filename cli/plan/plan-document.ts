import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { knownKeysAt } from '../../config/known-keys.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { plannedPolicy } from '../../config/outputs/planned-policy.js';
import { complaints, formatProblem } from '../../config/problems.js';
import { problemAt } from '../../config/validated-documents.js';
import { decisiveDigest } from '../../domain/decision/decisive-digest.js';
import type { StepEffect } from '../../domain/decision/step.js';
import type { Finding } from '../../domain/findings/finding.js';
import type { PlanPreview } from '../../domain/model/plan-preview.js';
import { planDigest, steadyObservation } from '../../domain/observation/plan-digest.js';
import type { Target } from '../../domain/vocabulary.js';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { member, parseJson } from '../read-json.js';
import { CliError, UsageError } from '../cli-error.js';
import { toolVersion } from '../tool-version.js';
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

function asJson(value: object): Record<string, unknown> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- an object stays an object through JSON
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
}

/** A path relative to `folder`: never absolute, which is valid on one machine only and discloses its layout. */
export function pathFrom(folder: string, path: string): string {
  const from = relative(resolve(folder), resolve(path));
  return from === '' ? '.' : from;
}

const PLAN_AGAIN =
  'Plan again with this version: `ccm-migrate plan -f … --out …`, compare, and apply it.';

/**
 * A saved plan: complete, of this version and unchanged. It is validated like configuration, and its digest is
 * recomputed over its content.
 * @throws UsageError when it is not a plan; CliError CCM4001 with what to do when it cannot be trusted.
 */
export async function readPlan(path: string): Promise<MigrationPlan> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new UsageError(`${path} cannot be read: write it with plan --out`);
  const raw = parseJson(text);
  if (member(raw, 'kind') !== 'MigrationPlan')
    throw new UsageError(`${path} is not a plan of this tool: write it with plan --out`);
  const [tool, ours] = [String(member(raw, 'tool')), await toolVersion()];
  if (tool !== ours) {
    throw new CliError('CCM4001', `${path} was written by ${tool}, this is ${ours}`, {
      why: 'Another version plans by other rules and may lack what this version assumes.',
      fix: PLAN_AGAIN,
    });
  }
  const plan = validated(path, text, raw);
  if (planDigest(plan) !== plan.digest) {
    throw new CliError('CCM4001', `${path} was changed after it was written`, {
      why: 'Its digest does not match its content, so it is not the plan that was reviewed.',
    });
  }
  return plan;
}

const MOST_SHOWN = 10;

function validated(path: string, text: string, raw: unknown): MigrationPlan {
  const parsed = MigrationPlan.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [source] = parseYamlDocuments(text).documents;
  if (source === undefined) throw new UsageError(`${path} is not a plan of this tool`);
  const lines = parsed.error.issues
    .flatMap((issue) => complaints(issue, (at) => knownKeysAt(MigrationPlan, at)))
    .map((complaint) => formatProblem(problemAt(path, source, complaint)));
  throw new CliError('CCM4001', lines.slice(0, MOST_SHOWN).join('\n'), {
    exitStatus: 'configInvalid',
    why: 'A run takes policy, timings and materials from its plan, so they are validated like configuration.',
    fix: PLAN_AGAIN,
    state: 'nothing was changed',
  });
}

/** The node or machine that an effect concerns; empty when it concerns the cluster. */
function nodeOfEffect(effect: StepEffect): string {
  if ('node' in effect && typeof effect.node === 'string') return effect.node;
  return 'machine' in effect ? effect.machine : '';
}
