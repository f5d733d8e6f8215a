/**
 * `node dist/devserver/main.js prepare`: finds or prepares the Temporal CLI and prints its path on stdout.
 * `… prepare-server`: the same for the production server and its SQL tool, which only `npm run test:secure` needs.
 */
import { NoGo } from './build-with-go.js';
import { failureReason } from './failure-reason.js';
import { findTemporalCli, TemporalCliUnavailable } from './find-temporal-cli.js';
import { findTemporalServer } from './find-temporal-server.js';

const USAGE = 'usage: node dist/devserver/main.js prepare | prepare-server';

/** How a command ends that this machine cannot carry out (EX_UNAVAILABLE of sysexits.h). */
const NOT_HERE = 69;

async function main(command: string | undefined): Promise<number> {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  if (command === 'prepare-server') return prepareServer(report);
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

async function prepareServer(report: (line: string) => void): Promise<number> {
  try {
    const { server, sqlTool } = await findTemporalServer(process.env, report);
    process.stdout.write(`${server}\n${sqlTool}\n`);
    return 0;
  } catch (error) {
    report(`no Temporal server can be built here: ${failureReason(error)}`);
    return error instanceof NoGo ? NOT_HERE : 1;
  }
}

process.exitCode = await main(process.argv[2]);
