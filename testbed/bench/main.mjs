// `npm run bench -- NAME [options]`: figures, not tests. Each prints JSON lines and a table.
import { handover } from './handover.mjs';

const BENCHES = { handover };

const [name = '', ...given] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--help]`);
  process.exitCode = 64;
} else {
  process.exitCode = await bench(given);
}
