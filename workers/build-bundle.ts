import { fileURLToPath } from 'node:url';
import { BUILT_BUNDLE, createBundle, writeBundle } from './workflow-bundle.js';

/** Last part of the build: the workflows as one file, so that workers start fast and run what was tested. */
const bundle = await createBundle({
  workflowsPath: fileURLToPath(new URL('../workflows/index.js', import.meta.url)),
  root: fileURLToPath(new URL('../..', import.meta.url)),
});
await writeBundle(bundle, BUILT_BUNDLE);
process.stdout.write(
  `workflow bundle ${bundle.digest} ${String(Buffer.byteLength(bundle.code))} bytes\n`,
);
