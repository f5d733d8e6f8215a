import { readFile } from 'node:fs/promises';
import { MigrationPlan } from '../../config/outputs/plan.js';
import { Refusal, WrongUsage } from '../refusal.js';
import { planDigest } from './plan-document.js';

/** A saved plan, whole and unchanged: its digest is computed anew over what it says. */
export async function readPlan(path: string): Promise<MigrationPlan> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new WrongUsage(`${path} cannot be read: write it with plan --out`);
  const parsed = MigrationPlan.safeParse(parseJson(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    throw new WrongUsage(`${path} is no plan of this tool${where}: write it with plan --out`);
  }
  if (planDigest(parsed.data) !== parsed.data.digest) {
    throw new Refusal('CCM4001', `${path} was changed after it was written`, {
      why: 'Its digest is not that of its content, so it is not the plan that was shown.',
    });
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
