/** `npm run lab -- VERB …`: real control planes on this machine. See `help.ts` for the verbs. */
import { LabUnavailable } from './host/lab-unavailable.js';
import { runVerb } from './commands/verbs.js';

try {
  process.exitCode = await runVerb(process.argv.slice(2), process.env);
} catch (error) {
  const isOurs = error instanceof LabUnavailable;
  const text =
    error instanceof Error ? (isOurs ? error.message : (error.stack ?? '')) : String(error);
  process.stderr.write(`lab: ${text}\n`);
  process.exitCode = isOurs ? 1 : 70;
}
