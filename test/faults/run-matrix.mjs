// `npm run test:faults`: every request on one node struck by every fault, some on three; then every twentieth one on a real Temporal
// server. One process per core.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const jobs = Math.max(1, Math.min(4, availableParallelism()));
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = ['node_modules/jest/bin/jest.js', '-i', '--selectProjects=unit', '--silent'];

/** Runs one half of the matrix, divided among all processes; returns whether it passed. */
async function half(name, which, file) {
  const began = Date.now();
  const parts = Array.from({ length: jobs }, (_, nth) => {
    const part = `${nth + 1}/${jobs}`;
    const env = { ...process.env, CCM_TEST_FAULTS: which, CCM_TEST_FAULTS_PART: part };
    const child = spawn(process.execPath, [...flags, ...jest, file], { env, stdio: 'inherit' });
    return new Promise((resolve) => child.on('exit', resolve));
  });
  const passed = (await Promise.all(parts)).every((code) => code === 0);
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  console.log(`${name}: ${passed ? 'passed' : 'FAILED'} in ${minutes} min`);
  return passed;
}

const inProcess = await half('fault matrix', 'all', 'test/faults/fault-matrix');
const onTemporal = await half('fault matrix on Temporal', 'temporal', 'test/faults/on-temporal');
process.exitCode = inProcess && onTemporal ? 0 : 1;
