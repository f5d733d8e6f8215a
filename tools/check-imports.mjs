/**
 * Checks who imports whom (.dependency-cruiser.cjs) and cycles between folders (folder-cycles.mjs). Fails when it read no
 * modules: with a compiler that it cannot load, dependency-cruiser reports no violations in 0 modules.
 */
import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { folderCycles } from './folder-cycles.mjs';

const CONFIGURATION = './.dependency-cruiser.cjs';
const ROOMS = 'domain workflows activities workers config cli devserver testbed test tools'.split(
  ' ',
);

const rooms = process.argv.length > 2 ? process.argv.slice(2) : ROOMS.filter(existsSync);
const options = await extractDepcruiseOptions(CONFIGURATION);
const { output, exitCode } = await cruise(rooms, { ...options, outputType: 'json' }, undefined, {
  tsConfig: extractTSConfig('./tsconfig.json'),
});
const { modules, summary } = JSON.parse(output);
const ours = modules.filter(
  ({ source }) => source.endsWith('.ts') && !source.includes('node_modules/'),
);

const cycles = folderCycles(modules);

process.exitCode = report(ours.length, summary, exitCode);

function report(seen, { violations, totalDependenciesCruised }, cruiseExitCode) {
  for (const { rule, from, to, cycle } of violations) {
    const way = cycle ? cycle.map((step) => step.name).join(' → ') : to;
    console.error(`${rule.severity} ${rule.name}: ${from} → ${way}`);
  }
  for (const { nodes, files } of cycles) {
    console.error(`error no-folder-cycles: ${nodes.join(' ↔ ')}`);
    for (const pair of files) console.error(`  ${pair}`);
  }
  if (seen === 0) {
    console.error(
      'No TypeScript modules were inspected, so the import check proves nothing. Check its arguments and that dependency-cruiser supports the installed TypeScript.',
    );
    return 1;
  }
  const found = violations.length + cycles.length;
  console.log(`imports: ${seen} modules, ${totalDependenciesCruised} imports, ${found} violations`);
  const failed = cycles.length > 0 || violations.some(({ rule }) => rule.severity === 'error');
  return failed ? 1 : cruiseExitCode;
}
