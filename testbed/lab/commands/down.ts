import { setTimeout as sleep } from 'node:timers/promises';
import { askLab } from '../daemon/control-client.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import { cleanLab, isNothing, knownLabs, remainsOf } from '../lifecycle/clean.js';
import type { Command } from './lab-command.js';

const PATIENCE_MS = 60_000;
const POLL_EVERY_MS = 100;

/** Stops a lab and waits until nothing of it is left; also cleans one whose process has died. */
export async function down({ words: { lab } }: Command): Promise<number> {
  const isOwned = knownLabs().some((one) => one.lab === lab && one.isOwned);
  if (!isOwned) {
    const wasThere = !isNothing(remainsOf(lab));
    await cleanLab(lab);
    process.stderr.write(
      wasThere ? `cleaned up lab ${lab}, whose process had died\n` : `lab ${lab} is not up\n`,
    );
    return 0;
  }
  // The response may be cut off because the request ends the process that sends it.
  await askLab(lab, 'POST', '/down').catch((error: unknown) => {
    if (error instanceof LabUnavailable) throw error;
  });
  const endsAt = Date.now() + PATIENCE_MS;
  while (!isNothing(remainsOf(lab))) {
    if (Date.now() > endsAt) {
      throw new LabUnavailable(
        `lab ${lab} did not stop within ${PATIENCE_MS / 1000} s: ${JSON.stringify(remainsOf(lab))}`,
      );
    }
    await sleep(POLL_EVERY_MS);
  }
  process.stderr.write(`lab ${lab} is gone\n`);
  return 0;
}
