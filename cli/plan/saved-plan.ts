import { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { readOutput } from '../../config/outputs/read-output.js';
import { type SchemaComplaint, formatProblem } from '../../config/problems.js';
import { problemAt } from '../../config/validated-documents.js';
import { planDigest } from '../../domain/observation/plan-digest.js';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { CliError, UsageError } from '../cli-error.js';
import { member, parseJson } from '../read-json.js';
import { toolVersion } from '../tool-version.js';
import { fleetPlanDigest } from './fleet-plan-digest.js';
import { readRegularText } from '../../config/regular-file.js';

const PLAN_AGAIN =
  'Plan again with this version: `ccm-migrate plan -f … --out …`, compare, and apply it.';

/** What `plan --out` writes: for one cluster, or for several. */
export type SavedPlan = MigrationPlan | FleetPlanDocument;

/** The saved plan of one cluster. */
export async function readPlan(path: string): Promise<MigrationPlan> {
  const plan = await readSavedPlan(path);
  if (plan.kind === 'MigrationPlan') return plan;
  throw new UsageError(
    `${path} is not a plan of this tool for one cluster: it is of fleet ${plan.fleet}`,
  );
}

/**
 * A saved plan: complete, of this version and unchanged. It is validated like configuration, and its digest is
 * recomputed over its content.
 * @throws UsageError when it is not a plan; CliError CCM4001 with what to do when it cannot be trusted.
 */
export async function readSavedPlan(path: string): Promise<SavedPlan> {
  const text = await readRegularText(path).catch(() => null);
  if (text === null) throw new UsageError(`${path} cannot be read: write it with plan --out`);
  const raw = parseJson(text);
  const kind = member(raw, 'kind');
  if (kind !== 'MigrationPlan' && kind !== 'FleetPlan')
    throw new UsageError(`${path} is not a plan of this tool: write it with plan --out`);
  const [tool, ours] = [String(member(raw, 'tool')), await toolVersion()];
  if (tool !== ours) {
    throw new CliError('CCM4001', `${path} was written by ${tool}, this is ${ours}`, {
      why: 'Another version plans by other rules and may lack what this version assumes.',
      fix: PLAN_AGAIN,
    });
  }
  const read =
    kind === 'FleetPlan' ? readOutput(FleetPlanDocument, raw) : readOutput(MigrationPlan, raw);
  if (read.kind === 'invalid') throw invalid(path, text, read.complaints);
  const plan = read.value;
  const digest = plan.kind === 'FleetPlan' ? fleetPlanDigest(plan) : planDigest(plan);
  if (digest !== plan.digest) {
    throw new CliError('CCM4001', `${path} was changed after it was written`, {
      why: 'Its digest does not match its content, so it is not the plan that was reviewed.',
    });
  }
  return plan;
}

const MOST_SHOWN = 10;

function invalid(path: string, text: string, complaints: readonly SchemaComplaint[]): Error {
  const [source] = parseYamlDocuments(text).documents;
  if (source === undefined) return new UsageError(`${path} is not a plan of this tool`);
  const lines = complaints.map((complaint) => formatProblem(problemAt(path, source, complaint)));
  return new CliError('CCM4001', lines.slice(0, MOST_SHOWN).join('\n'), {
    exitStatus: 'configInvalid',
    why: 'A run takes policy, timings and materials from its plan, so they are validated like configuration.',
    fix: PLAN_AGAIN,
    state: 'nothing was changed',
  });
}
