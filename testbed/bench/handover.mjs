/**
 * How long the cloud controllers have no owner during a handover: seeded demos at real speed with default lease
 * timings, each with its own Temporal server and worker, measured by the simulator's process and cloud journals.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const MOST_MEAN_SECONDS = 4;
const HELP = `npm run bench -- handover [--runs 20] [--seed 1] [--at-once N]

Runs the demo with seeds SEED, SEED+1, …, N of them in parallel (default: cores + 1, because a demo mostly waits).
Prints one JSON line for each run and a table. Exit 0 only if every demo passed and the mean of all moves is at
most ${MOST_MEAN_SECONDS} s.

With --lab it runs on real control planes, beside the official guide's order: npm run bench -- handover --lab --help
`;
const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');
const ON_LAB = new URL('../../dist/testbed/bench/on-lab/main.js', import.meta.url).href;

export async function handover(given) {
  if (given.includes('--lab')) return onLab(given);
  const { values } = parseArgs({
    args: given,
    options: {
      runs: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: String(availableParallelism() + 1) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const seeds = Array.from({ length: Number(values.runs) }, (_, nth) => Number(values.seed) + nth);
  const reports = await inTurn(seeds, Number(values['at-once']), measured);
  const good = reports.filter((report) => report !== null);
  for (const report of good) console.log(JSON.stringify(report));
  return summary(good, seeds.length);
}

/** Compiled before it is run, because it imports the lab's TypeScript. */
async function onLab(given) {
  const { handoverOnLab } = await import(ON_LAB);
  return handoverOnLab(given);
}

/** Runs one demo in its own folder; null when it produced no report. */
async function measured(seed) {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-bench-'));
  try {
    const args = [CLI, 'demo', '--seed', String(seed), '--state-dir', folder, '-o', 'json'];
    const { code, out, err } = await ended(spawn(process.execPath, args, { stdio: 'pipe' }));
    const report = parsed(out);
    if (report === null) {
      console.error(`seed ${seed}: exit ${code}: ${err.trim().split('\n').slice(-3).join(' | ')}`);
      return null;
    }
    const moves = report.directions.flatMap((direction) => movesOf(direction));
    const overlap = report.directions.flatMap(({ truth }) =>
      Object.values(truth).map(({ overlapSeconds }) => overlapSeconds),
    );
    console.error(`seed ${seed}: ${report.passed ? 'passed' : 'FAILED'}, ${moves.length} orphans`);
    return { seed, passed: report.passed, overlapSeconds: Math.max(...overlap), moves };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function movesOf({ target, truth }) {
  return Object.entries(truth).flatMap(([controller, { orphans }]) =>
    orphans.map(({ seconds }) => ({
      direction: target === 'ccm' ? 'forward' : 'back',
      controller,
      seconds,
    })),
  );
}

function parsed(out) {
  try {
    const document = JSON.parse(out);
    return document.kind === 'DemoReport' ? document : null;
  } catch {
    return null;
  }
}

function ended(child) {
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (texts.out += chunk));
  child.stderr.on('data', (chunk) => (texts.err += chunk));
  return new Promise((done) => child.on('close', (code) => done({ code, ...texts })));
}

async function inTurn(items, atOnce, work) {
  const waiting = [...items];
  const results = [];
  const one = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results.push(await work(next));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return results;
}

function summary(reports, asked) {
  const passed = reports.filter((report) => report.passed).length;
  const overlap = Math.max(0, ...reports.map(({ overlapSeconds }) => overlapSeconds));
  const all = reports.flatMap(({ moves }) => moves);
  console.log(
    `\n${asked} runs, ${passed} passed, overlap ${overlap.toFixed(1)} s, ${cpus().length} cores\n`,
  );
  console.log('| direction | moves × loops | mean s | p50 s | p99 s | max s |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const direction of ['forward', 'back', 'both']) {
    const seconds = all
      .filter((move) => direction === 'both' || move.direction === direction)
      .map((m) => m.seconds);
    console.log(`| ${direction} | ${seconds.length} | ${figures(seconds).join(' | ')} |`);
  }
  const mean = meanOf(all.map(({ seconds }) => seconds));
  return passed === asked && mean <= MOST_MEAN_SECONDS ? 0 : 1;
}

function figures(seconds) {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return [meanOf(sorted), at(0.5), at(0.99), at(1)].map((value) => value.toFixed(2));
}

function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
