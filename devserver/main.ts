/** `node dist/devserver/main.js prepare`: finds or prepares the Temporal CLI and prints its path on stdout. */
import { findTemporalCli, TemporalCliUnavailable } from './find-temporal-cli.js';

const USAGE = 'usage: node dist/devserver/main.js prepare';

async function main(command: string | undefined): Promise<number> {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  if (command !== 'prepare') {
    report(USAGE);
    return 2;
  }
  try {
    const { path, source } = await findTemporalCli({ env: process.env, report });
    report(`Temporal CLI (${source}):`);
    process.stdout.write(`${path}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof TemporalCliUnavailable)) throw error;
    report(error.message);
    return 1;
  }
}

process.exitCode = await main(process.argv[2]);
