import { readFile } from 'node:fs/promises';
import { complaints } from '../../config/issue-messages.js';
import { knownKeysAt } from '../../config/json-schemas.js';
import { MigrationPlan } from '../../config/outputs/plan.js';
import { formatProblem } from '../../config/problems.js';
import { problemAt } from '../../config/validated-documents.js';
import { parseYamlDocuments } from '../../domain/documents/parsed-documents.js';
import { member, parseJson } from '../read-json.js';
import { Refusal, WrongUsage } from '../refusal.js';
import { toolVersion } from '../tool-version.js';
import { planDigest } from '../../domain/plan/plan-digest.js';

const PLAN_AGAIN =
  'Plan again with this version: `ccm-migrate plan -f … --out …`, compare, and apply it.';

/**
 * A saved plan, whole, of this version and unchanged: checked like configuration, and its digest is computed again
 * over what it says.
 * @throws WrongUsage when it is no plan at all; Refusal CCM4001 with what to do when it is not to be trusted.
 */
export async function readPlan(path: string): Promise<MigrationPlan> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new WrongUsage(`${path} cannot be read: write it with plan --out`);
  const raw = parseJson(text);
  if (member(raw, 'kind') !== 'MigrationPlan')
    throw new WrongUsage(`${path} is no plan of this tool: write it with plan --out`);
  const [tool, ours] = [String(member(raw, 'tool')), await toolVersion()];
  if (tool !== ours) {
    throw new Refusal('CCM4001', `${path} was written by ${tool}, this is ${ours}`, {
      why: 'Another version plans by other rules, and may not know what this one takes for granted.',
      fix: PLAN_AGAIN,
    });
  }
  const plan = validated(path, text, raw);
  if (planDigest(plan) !== plan.digest) {
    throw new Refusal('CCM4001', `${path} was changed after it was written`, {
      why: 'Its digest is not that of its content, so it is not the plan that was shown.',
    });
  }
  return plan;
}

const MOST_SHOWN = 10;

function validated(path: string, text: string, raw: unknown): MigrationPlan {
  const parsed = MigrationPlan.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [source] = parseYamlDocuments(text).documents;
  if (source === undefined) throw new WrongUsage(`${path} is no plan of this tool`);
  const lines = parsed.error.issues
    .flatMap((issue) => complaints(issue, (at) => knownKeysAt('MigrationPlan', at)))
    .map((complaint) => formatProblem(problemAt(path, source, complaint)));
  throw new Refusal('CCM4001', lines.slice(0, MOST_SHOWN).join('\n'), {
    ending: 'configInvalid',
    why: 'A run takes policy, timings and materials from its plan, so they are checked as configuration is.',
    fix: PLAN_AGAIN,
    state: 'nothing was changed',
  });
}
