import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeLab } from '../describe-lab.js';
import { openLab, type LabOptions } from '../lab.js';
import { CONTROL_SOCKET } from './control-client.js';
import { serveControl } from './control-server.js';

/** Start of the line on stdout that reports readiness to the starter: JSON with the description. */
export const READY = '{"ready":true';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

/**
 * Owns a lab until it is stopped: the fake cloud and the machines APIs run in this process. However it dies, the
 * watchdog removes everything.
 */
export async function runDaemon(
  options: Omit<LabOptions, 'report'>,
  { endsWithInput }: { readonly endsWithInput: boolean },
): Promise<void> {
  // The starter may have ended, and then nothing reads stderr.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', () => undefined);
  const leave = (): never => process.exit(INTERRUPTED);
  for (const signal of SIGNALS) process.once(signal, leave);
  // The starter holds the other end: the kernel closes it however the starter ends.
  if (endsWithInput) process.stdin.on('end', leave).resume();
  let logFile: string | null = null;
  const report = (line: string): void => {
    if (logFile === null) process.stderr.write(`${line}\n`);
    else appendFileSync(logFile, `${line}\n`);
  };
  const lab = await openLab({ ...options, watched: true, report });
  let end = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    end = resolve;
  });
  const control = await serveControl(lab, join(lab.folder, CONTROL_SOCKET), () => end());
  for (const signal of SIGNALS) process.off(signal, leave).on(signal, () => end());
  if (endsWithInput) process.stdin.off('end', leave).on('end', () => end());
  logFile = join(lab.folder, 'lab.log');
  process.stdout.write(`${READY},${JSON.stringify(describeLab(lab)).slice(1)}\n`);
  await asked;
  await control.stop();
  await lab.close();
  // An open input would keep this process alive for as long as the other end is open.
  if (endsWithInput) process.stdin.destroy();
}
