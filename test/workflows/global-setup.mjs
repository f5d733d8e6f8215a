/**
 * Once for all workflow tests: one Temporal dev server and one workflow bundle. Plain JavaScript on the built dist/: jest does not resolve
 * TypeScript imports in a globalSetup. Sets CCM_TEST_TEMPORAL_ADDRESS and CCM_TEST_WORKFLOW_BUNDLE for the tests. Values that are set
 * already are used unchanged: `npm test` has just built the bundle that ships, and names it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEV_SERVER = join(ROOT, 'dist/devserver');
const WORKFLOWS = join(ROOT, 'workflows/index.ts');
const FAILURES = join(ROOT, 'workflows/failure-converter.ts');

export default async function globalSetup() {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-workflow-tests-'));
  globalThis.ccmWorkflowTests = { folder, server: await startServer(folder) };
  if (!process.env.CCM_TEST_WORKFLOW_BUNDLE)
    await bundleWorkflows(join(folder, 'workflow-bundle.js'));
}

async function startServer(folder) {
  if (process.env.CCM_TEST_TEMPORAL_ADDRESS) return null;
  const { findTemporalCli } = await builtModule('find-temporal-cli.js');
  const { startDevServer } = await builtModule('start-dev-server.js');
  const report = (line) => process.stderr.write(`${line}\n`);
  const { path } = await findTemporalCli({ env: process.env, report });
  const logFile = join(folder, 'temporal.log');
  const server = await startDevServer({ cliPath: path, logFile });
  process.env.CCM_TEST_TEMPORAL_ADDRESS = server.address;
  return server;
}

/** `npm test` has built already; `npx jest` on a fresh checkout has not. Type errors are left to `npm run types`. */
async function builtModule(name) {
  const path = join(DEV_SERVER, name);
  if (!existsSync(path)) {
    spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'ignore' });
  }
  return import(pathToFileURL(path).href);
}

async function bundleWorkflows(path) {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const logger = new DefaultLogger('WARN');
  const paths = { workflowsPath: WORKFLOWS, failureConverterPath: FAILURES };
  const { code } = await bundleWorkflowCode({ ...paths, logger });
  await writeFile(path, code);
  process.env.CCM_TEST_WORKFLOW_BUNDLE = path;
}
