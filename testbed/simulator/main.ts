import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseOptions, SIMULATOR_HELP } from './simulator-options.js';
import { readyLine, readyText } from './ready-text.js';
import { startSimulator } from './server.js';

const ELECTED_WITHIN_MS = 30_000;

/** Serves clusters until it is signalled; says so once they can be reached and have leaders. */
async function main(words: readonly string[]): Promise<void> {
  // The kubeconfigs grant cluster-admin, if only on simulated clusters.
  process.umask(0o077);
  const parsed = parseOptions(words);
  if (parsed.kind === 'help') {
    process.stdout.write(SIMULATOR_HELP);
    return;
  }
  if (parsed.kind === 'refused') {
    process.stderr.write(`simulator: ${parsed.message}\nTry --help.\n`);
    process.exitCode = 2;
    return;
  }
  const { simulator, readyFile } = parsed.options;
  const stateDir = parsed.options.stateDir ?? mkdtempSync(join(tmpdir(), 'ccm-migrate-simulator-'));
  const running = await startSimulator({ ...simulator, stateDir });
  await running.elected(ELECTED_WITHIN_MS);
  const { url, inventoryPath: inventory, kubeconfigs } = running;
  const ready = { url, inventory, kubeconfigs, pid: process.pid };
  if (readyFile !== undefined) writeFileSync(readyFile, readyLine(ready), { mode: 0o600 });
  process.stdout.write(process.stdout.isTTY ? readyText(ready) : readyLine(ready));
  const stop = (): void => {
    void running.stop().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`simulator: could not start: ${message}\n`);
  process.exitCode = 1;
});
