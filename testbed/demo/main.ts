import process from 'node:process';
import { runInProcess } from '../../cli/run-in-process.js';
import { ALL_VERBS } from '../../cli/verbs/all-verbs.js';
import { demoVerb } from './run-demo.js';

/** The command line of `ccm-migrate demo`, with the same flags and help: the CLI starts this as a process. */
process.exitCode = await runInProcess(
  ALL_VERBS.map((verb) => (verb.name === 'demo' ? { ...verb, load: async () => demoVerb } : verb)),
  process.env,
);
