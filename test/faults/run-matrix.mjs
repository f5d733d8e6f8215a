// `npm run test:faults`: every request on one node struck by every fault, some on three; one process for each core.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const jobs = Math.max(1, Math.min(4, availableParallelism()));
const began = Date.now();
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = [
  'node_modules/jest/bin/jest.js',
  'test/faults',
  '-i',
  '--selectProjects=unit',
  '--silent',
];

const runs = Array.from({ length: jobs }, (_, nth) => {
  const part = `${nth + 1}/${jobs}`;
  const env = { ...process.env, CCM_TEST_FAULTS: 'all', CCM_TEST_FAULTS_PART: part };
  const child = spawn(process.execPath, [...flags, ...jest], { env, stdio: 'inherit' });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
});
const codes = await Promise.all(runs);
const minutes = ((Date.now() - began) / 60_000).toFixed(1);
console.log(
  `fault matrix: ${codes.every((code) => code === 0) ? 'passed' : 'FAILED'} in ${minutes} min`,
);
process.exitCode = Math.max(...codes);
