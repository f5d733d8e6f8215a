/**
 * Checks the import rules (.dependency-cruiser.cjs) and fails when no module was inspected: with a compiler that it
 * cannot load, dependency-cruiser reports no violations in 0 modules.
 */
import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

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

process.exitCode = report(ours.length, summary, exitCode);

function report(seen, { violations, totalDependenciesCruised }, cruiseExitCode) {
  for (const { rule, from, to, cycle } of violations) {
    const way = cycle ? cycle.map((step) => step.name).join(' → ') : to;
    console.error(`${rule.severity} ${rule.name}: ${from} → ${way}`);
  }
  if (seen === 0) {
    console.error(
      'No TypeScript modules were inspected, so the import check proves nothing. Check its arguments and that dependency-cruiser supports the installed TypeScript.',
    );
    return 1;
  }
  console.log(
    `imports: ${seen} modules, ${totalDependenciesCruised} imports, ${violations.length} violations`,
  );
  return violations.some(({ rule }) => rule.severity === 'error') ? 1 : cruiseExitCode;
}
