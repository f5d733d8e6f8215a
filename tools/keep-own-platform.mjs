/**
 * Deletes the builds of Temporal's native core for other platforms (about 110 MB) from node_modules.
 * For images only: a node_modules that several machines share needs them all.
 */
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const core = dirname(require.resolve('@temporalio/core-bridge/package.json'));
const { getPrebuiltTargetName } = require('@temporalio/core-bridge/common.js');
const own = getPrebuiltTargetName();

for (const platform of readdirSync(join(core, 'releases'))) {
  if (platform === own) continue;
  rmSync(join(core, 'releases', platform), { recursive: true });
  console.log(`removed the native core for ${platform}`);
}
