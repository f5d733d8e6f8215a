/**
 * Deletes the builds of Temporal's native core for other platforms (about 110 MB) from node_modules. For images only:
 * a node_modules folder that several machines share needs all of them.
 */
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// The core is a dependency of the worker library, not of this package: it is resolved from there.
const ofWorker = createRequire(createRequire(import.meta.url).resolve('@temporalio/worker'));
const core = dirname(ofWorker.resolve('@temporalio/core-bridge/package.json'));
const own = ofWorker('@temporalio/core-bridge/common.js').getPrebuiltTargetName();

for (const platform of readdirSync(join(core, 'releases'))) {
  if (platform === own) continue;
  rmSync(join(core, 'releases', platform), { recursive: true });
  console.log(`removed the native core for ${platform}`);
}
