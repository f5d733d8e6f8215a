/**
 * Lists what runs with the product as CycloneDX, from package-lock.json alone: the same text for the same lock file. Not by
 * `npm sbom --omit dev`, which (11.19) leaves out packages that our development tools need as well. Usage: npm run sbom
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const list = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);

const DEVELOPMENT = 'cdx:npm:package:development';
function isRun({ properties = [] }) {
  return !properties.some(({ name, value }) => name === DEVELOPMENT && value === 'true');
}

const components = list.components.filter(isRun);
const kept = new Set([list.metadata.component, ...components].map((each) => each['bom-ref']));
const dependencies = list.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => kept.has(on)) }));
// Neither its number nor its time says anything about the components.
delete list.serialNumber;
delete list.metadata.timestamp;
console.log(JSON.stringify({ ...list, components, dependencies }, null, 2));
