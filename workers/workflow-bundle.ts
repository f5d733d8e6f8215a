import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * Largest bundle that may be built, in bytes. The SDK alone takes two thirds of it; every cached workflow pays for
 * the rest in memory (zod in a bundle cost 50 times the heap, measured), so growth must be seen.
 */
const BUNDLE_BUDGET_BYTES = 1_700_000;

/** Where the build puts the bundle: beside the compiled rooms. */
export const BUILT_BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

/** `digest` is `sha256:<hex>` of the code: with it an audit finds the bundle that wrote a history. */
export interface WorkflowBundle {
  readonly code: string;
  readonly digest: string;
}

/** Bundles the workflows of `workflowsPath` for the sandbox; fails when they outgrew the budget. */
export async function createBundle(workflowsPath: string): Promise<WorkflowBundle> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    logger: new DefaultLogger('WARN'),
    // Positions for stack traces, but not a second copy of every source: two thirds of the bundle were that.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  });
  const size = Buffer.byteLength(code);
  if (size > BUNDLE_BUDGET_BYTES) {
    throw new Error(
      `the workflow bundle has ${String(size)} bytes, more than ${String(BUNDLE_BUDGET_BYTES)}: ` +
        'find what the workflows import now (zod and clients never belong there)',
    );
  }
  return { code, digest: digestOf(code) };
}

/** Writes the bundle and, beside it, `<path>.sha256` with its digest. */
export async function writeBundle(bundle: WorkflowBundle, path: string): Promise<void> {
  await writeFile(path, bundle.code);
  await writeFile(digestPath(path), `${bundle.digest}\n`);
}

/** Reads a built bundle; refuses one that is not what its digest says. */
export async function readBundle(path: string): Promise<WorkflowBundle> {
  const [code, written] = await Promise.all([
    readFile(path, 'utf8'),
    readFile(digestPath(path), 'utf8'),
  ]).catch((error: unknown) => {
    throw new Error(`no workflow bundle at ${path}: run \`npm run build\` first`, { cause: error });
  });
  const digest = digestOf(code);
  if (digest !== written.trim()) {
    throw new Error(`the workflow bundle at ${path} was changed after its build: build it again`);
  }
  return { code, digest };
}

function digestPath(path: string): string {
  return `${path}.sha256`;
}

function digestOf(code: string): string {
  return `sha256:${createHash('sha256').update(code).digest('hex')}`;
}
