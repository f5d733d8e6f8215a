import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyFleet } from '../../../../cli/audit/fleet/verify-fleet.js';
import { secondVerdicts } from '../../../support/second-verifier.js';
import { TRUST, fleetTrustFile } from './signed-fleet.js';

/** Checks that do not pass, as `name`, or `name?` where nothing is proven. */
export async function openChecks(text: string, trust = TRUST): Promise<readonly string[]> {
  const { checks } = await verifyFleet(text, { trust });
  return checks.flatMap(({ check, result }) => openAs(check, result));
}

/** The same by the second verifier; null where it cannot run. */
export async function secondOpen(text: string, trust = TRUST): Promise<readonly string[] | null> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-fleet-audit-'));
  try {
    const path = join(folder, 'one.json');
    await writeFile(path, text);
    const [verdict] = await secondVerdicts(fleetTrustFile(trust), [path]);
    if (verdict === undefined) return null;
    return Object.entries(verdict.checks).flatMap(([check, { result }]) => openAs(check, result));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function openAs(check: string, result: string): readonly string[] {
  if (result === 'pass') return [];
  return [result === 'fail' ? check : `${check}?`];
}
