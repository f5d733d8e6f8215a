/**
 * Builds what a release consists of, from the last commit, twice in different folders: both builds must be the same byte for byte, or
 * no one could tell whether a published one was made from this source. Usage: npm run release -- --dry-run [--out FOLDER]
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileDigest, pack } from './packed-files.mjs';

const HELP = `npm run release -- --dry-run [--out FOLDER]

Builds package, image context and list of components (CycloneDX) of the last commit, twice, and compares their SHA-256. Takes about five
minutes. Publishes nothing: --dry-run is all there is, and says that you know it.

  --out FOLDER   keeps the three files and SHA256SUMS there

Exit code 0 if both builds are the same.
`;

const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const REPOSITORY = resolve(import.meta.dirname, '..');
/** What runs: the compiled product with its declared dependencies. */
const PACKAGE = ['package.json', 'package-lock.json', '.npmrc', 'LICENSE', 'README.md', 'dist'];

function say(line) {
  console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

function git(...words) {
  return execFileSync('git', ['-C', REPOSITORY, ...words], { encoding: 'utf8' }).trim();
}

/** One build in a folder of its own; digests by the name of each file. */
async function built(folder, { commit, epochSeconds }) {
  const source = join(folder, 'source');
  const results = join(folder, 'results');
  await Promise.all([source, results].map((each) => mkdir(each, { recursive: true })));
  const archive = join(folder, 'source.tar');
  git('archive', '--format=tar', `--output=${archive}`, commit);
  execFileSync('tar', ['--extract', '--file', archive, '--directory', source]);
  pack(source, ['.'], join(results, 'image-context.tar.gz'), epochSeconds);
  const npm = (...words) =>
    execFileSync('npm', words, { cwd: source, stdio: ['ignore', 'pipe', 'inherit'] });
  say('  installing');
  npm('ci', '--no-audit', '--no-fund');
  say('  building');
  npm('run', '--silent', 'build');
  // The compiler's own notes say when it ran.
  await rm(join(source, 'dist', '.tsbuildinfo'), { force: true });
  pack(source, PACKAGE, join(results, 'package.tar.gz'), epochSeconds);
  await writeFile(join(results, 'components.cdx.json'), npm('run', '--silent', 'sbom'));
  return results;
}

const FILES = ['image-context.tar.gz', 'package.tar.gz', 'components.cdx.json'];

async function digestsOf(results) {
  return Promise.all(FILES.map((name) => fileDigest(join(results, name))));
}

async function release() {
  const commit = git('rev-parse', 'HEAD');
  const source = { commit, epochSeconds: git('show', '--no-patch', '--format=%ct', commit) };
  if (git('status', '--porcelain') !== '') say('uncommitted changes are left out');
  const root = await mkdtemp(join(tmpdir(), 'ccm-migrate-release-'));
  try {
    // Paths of different lengths: none may show.
    const folders = [join(root, 'a'), join(root, 'another', 'folder')];
    const results = [];
    for (const [index, folder] of folders.entries()) {
      say(`build ${index + 1} of ${folders.length}, of ${commit}`);
      results.push(await built(folder, source));
    }
    const [first, second] = await Promise.all(results.map(digestsOf));
    for (const [index, name] of FILES.entries()) console.log(`${first[index]}  ${name}`);
    const different = FILES.filter((_, index) => first[index] !== second[index]);
    for (const name of different) say(`${name} differs between two builds of one commit`);
    if (different.length > 0) return 1;
    if (options.out !== undefined) await keep(results[0], first, resolve(options.out));
    say('both builds are the same');
    return 0;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function keep(results, digests, out) {
  await mkdir(out, { recursive: true });
  for (const name of FILES) await cp(join(results, name), join(out, name));
  const sums = FILES.map((name, index) => `${digests[index]}  ${name}\n`).join('');
  await writeFile(join(out, 'SHA256SUMS'), sums);
}

if (options.help) console.log(HELP);
else if (options['dry-run']) process.exitCode = await release();
else {
  console.error(
    'Nothing is published from here. Build and compare with: npm run release -- --dry-run',
  );
  process.exitCode = 64;
}
