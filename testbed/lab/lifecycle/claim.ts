import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STATE_ROOT, stateFolder } from '../host/folders.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import { LAST_LAB } from '../network/address-plan.js';
import { cleanLab, knownLabs, remainsOf, isNothing } from './clean.js';
import { isRunning, thisProcess } from '../../../devserver/process-identity.js';

const CLAIM = '.claim-';

/** Cleans every lab whose owner has ended: a power cut or a killed watchdog may have left one. Returns their numbers. */
export async function cleanAbandonedLabs(): Promise<readonly number[]> {
  removeDeadClaims();
  const abandoned = knownLabs().filter(({ isOwned }) => !isOwned);
  for (const { lab } of abandoned) await cleanLab(lab);
  return abandoned.map(({ lab }) => lab);
}

/**
 * Claims a lab number for this process: the wanted one, or the first that is free. Its folder appears by rename with
 * the owner's name already in it, so it never exists without an owner.
 */
export async function claimLab(wanted: number | undefined): Promise<number> {
  for (const lab of candidates(wanted)) {
    if (!tryClaim(lab)) continue;
    // Leftovers of a lab whose folder was removed by hand.
    if (!isNothing({ ...remainsOf(lab), folders: [] })) {
      await cleanLab(lab);
      if (!tryClaim(lab)) continue;
    }
    return lab;
  }
  throw new LabUnavailable(
    wanted === undefined
      ? `all ${LAST_LAB} labs of this machine are running; stop one: npm run lab -- down --lab 1`
      : `lab ${wanted} is already running. Inspect it: npm run lab -- status --lab ${wanted}. Stop it: npm run lab -- down --lab ${wanted}.${besideIt()}`,
  );
}

function besideIt(): string {
  const taken = knownLabs().map(({ lab }) => lab);
  const free = candidates(undefined).find((lab) => !taken.includes(lab));
  return free === undefined ? '' : ` Start another beside it: npm run lab -- up --lab ${free}`;
}

function candidates(wanted: number | undefined): readonly number[] {
  const all = Array.from({ length: LAST_LAB }, (_, index) => index + 1);
  if (wanted === undefined) return all;
  if (all.includes(wanted)) return [wanted];
  throw new LabUnavailable(`lab ${wanted} is not between 1 and ${LAST_LAB}`);
}

function tryClaim(lab: number): boolean {
  const mine = join(STATE_ROOT, `${CLAIM}${thisProcess()}`);
  mkdirSync(mine, { recursive: true, mode: 0o700 });
  writeFileSync(join(mine, 'owner'), thisProcess(), { mode: 0o600 });
  try {
    renameSync(mine, stateFolder(lab));
    return true;
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    // Rename cannot replace a folder that is not empty: the lab is taken. Matched by text, because in test
    // environments Node's errors belong to another realm.
    if (/ENOTEMPTY|EEXIST/.test(String(error))) return false;
    throw error;
  }
}

function removeDeadClaims(): void {
  mkdirSync(STATE_ROOT, { recursive: true, mode: 0o711 });
  for (const name of readdirSync(STATE_ROOT)) {
    if (!name.startsWith(CLAIM) || isRunning(name.slice(CLAIM.length))) continue;
    rmSync(join(STATE_ROOT, name), { recursive: true, force: true });
  }
}
