import process from 'node:process';
import { runInProcess } from '../../cli/run-in-process.js';
import { ALL_VERBS } from '../../cli/verbs/all-verbs.js';
import type { CommandAction } from '../../cli/cli.js';
import { rehearseVerb } from './rehearsal/run-rehearsal.js';
import { demoVerb } from './run-demo.js';

const OURS: Readonly<Record<string, CommandAction>> = { demo: demoVerb, rehearse: rehearseVerb };

/** The command lines of `demo` and `rehearse`, with the same flags and help: the CLI starts this as a process. */
process.exitCode = await runInProcess(
  ALL_VERBS.map((verb) => {
    const own = OURS[verb.name];
    return own === undefined ? verb : { ...verb, load: async () => own };
  }),
  process.env,
);
