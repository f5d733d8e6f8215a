// `npm run bench -- NAME [options]`: figures, not tests. Each prints JSON lines and a table.
import { handover } from './handover.mjs';

const COMPILED = new URL('../../dist/testbed/bench/', import.meta.url);

const BENCHES = { handover, fleet, gates, brake };

/** Compiled before it is run, because it imports the product's TypeScript. */
async function fleet(given) {
  if (given.includes('--simulator')) {
    const { simulatedBench } = await import(new URL('simulated/main.js', COMPILED).href);
    return simulatedBench(given);
  }
  const { fleetBench } = await import(new URL('fleet/main.js', COMPILED).href);
  return fleetBench(given);
}

async function gates(given) {
  const { gateBench } = await import(new URL('gates/main.js', COMPILED).href);
  return gateBench(given);
}

async function brake(given) {
  if (given.includes('--lab')) {
    const { labBrakeBench } = await import(new URL('lab-brake/main.js', COMPILED).href);
    return labBrakeBench(given);
  }
  const { brakeBench } = await import(new URL('brake/main.js', COMPILED).href);
  return brakeBench(given);
}

const [name = '', ...given] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--help]`);
  process.exitCode = 64;
} else {
  process.exitCode = await bench(given);
}
