import { writeFile } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type BundleOptions } from '@temporalio/worker';
import { digestFile, type WorkflowBundle } from '../config/bundle-file.js';
import { digestText } from '../domain/digest.js';

/**
 * Largest bundle that may be built, in bytes. The SDK alone takes a third of it, the rule of fleets a quarter; every cached workflow pays for
 * the rest in memory (zod in a bundle cost 50 times the heap, measured), so growth must be noticed.
 */
const BUNDLE_BUDGET_BYTES = 1_600_000;

/** Where the build puts the bundle: beside the compiled rooms. */
export const BUILT_BUNDLE = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));

export interface BundleSource {
  /** Absolute path of the module that exports the workflows, beside that of the failure converter; `domain/` lies beside their folder. */
  readonly workflowsPath: string;
  /** Absolute path of the package; names in the bundle are relative to it. */
  readonly root: string;
}

/**
 * Bundles the workflows for the sandbox; fails when they exceed the budget. The same sources give the same bytes in
 * every folder: by the digest alone a worker or an audit knows whether it has the code that wrote a history.
 */
export async function createBundle(source: BundleSource): Promise<WorkflowBundle> {
  const pureModules = new Set<string>();
  await bundleOnce(source, [], (path) => {
    if (isPure(path, source)) pureModules.add(path);
  });
  const code = await bundleOnce(source, [...pureModules].sort());
  const size = Buffer.byteLength(code);
  if (size > BUNDLE_BUDGET_BYTES) {
    throw new Error(
      `the workflow bundle has ${String(size)} bytes, more than ${String(BUNDLE_BUDGET_BYTES)}: ` +
        'find what the workflows import now (zod and clients never belong there)',
    );
  }
  return { code, digest: digestText(code) };
}

/**
 * `preloaded` modules are evaluated once and shared, frozen, by all workflows of a worker, instead of once for each:
 * about half the heap of a cached workflow, and a quarter less time for a replay (measured).
 */
async function bundleOnce(
  { workflowsPath, root }: BundleSource,
  preloaded: string[],
  onModule: (path: string) => void = () => undefined,
): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    failureConverterPath: join(
      dirname(workflowsPath),
      `failure-converter${extname(workflowsPath)}`,
    ),
    logger: new DefaultLogger('WARN'),
    preloadModules: preloaded,
    webpackConfigHook: (config) => ({
      ...config,
      // By default names begin at the folder in which the build was started, and those of sources at `/`.
      context: root,
      resolve: { ...config.resolve, symlinks: false },
      output: {
        ...config.output,
        filename: 'workflow-bundle.js',
        devtoolModuleFilenameTemplate: (info: { readonly absoluteResourcePath: string }) =>
          info.absoluteResourcePath.replaceAll(join(root, sep), ''),
      },
      // Line numbers for stack traces, but not a second copy of every source, which made up two thirds of the bundle.
      // Columns // would depend on the length of the path by which the SDK's entry point requires our workflows.
      devtool: 'inline-nosources-cheap-module-source-map',
      plugins: [...(config.plugins ?? []), tellModules(onModule)],
    }),
  });
  return code;
}

type Plugin = Extract<
  NonNullable<WebpackConfiguration['plugins']>[number],
  (...args: never) => unknown
>;
type WebpackConfiguration = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** Reports each file that went into the bundle. */
function tellModules(onModule: (path: string) => void): Plugin {
  return (compiler) => {
    compiler.hooks.compilation.tap('ccm-migrate', ({ hooks }) => {
      hooks.succeedModule.tap('ccm-migrate', (module) => {
        onModule(module.nameForCondition() ?? '');
      });
    });
  };
}

/** `domain/` has no clock, no I/O and no state of its own, so the workflows of a worker can share it. */
function isPure(path: string, { workflowsPath }: BundleSource): boolean {
  return path.startsWith(join(dirname(workflowsPath), '..', 'domain', sep));
}

/** Writes the bundle and, beside it, `<path>.sha256` with its digest. */
export async function writeBundle(bundle: WorkflowBundle, path: string): Promise<void> {
  await writeFile(path, bundle.code);
  await writeFile(digestFile(path), `${bundle.digest}\n`);
}
