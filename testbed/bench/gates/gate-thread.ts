import { parentPort } from 'node:worker_threads';
import { badWindows } from './bad-windows.js';
import type { GateTask } from './bench-rows.js';
import { goodRuns } from './good-runs.js';

// One thread of the benchmark: a task in, its figures out, until the port is closed.
parentPort?.on('message', (task: GateTask) => {
  parentPort?.postMessage(task.work === 'good' ? goodRuns(task) : badWindows(task));
});
