/**
 * Prints how much processor time a replay of each history takes: JSON on standard input, histories as the server stores them;
 * one line of JSON. A process of its own, so that nothing else is measured with it.
 */
import { text } from 'node:stream/consumers';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { readBundle } from '../../../config/bundle-file.js';
import { BUILT_BUNDLE } from '../../../workers/workflow-bundle.js';

interface Replayed {
  readonly workflowId: string;
  readonly history: unknown;
}

/** Before the passes that count, for the compiler. */
const WARMING_PASSES = 2;
const PASSES = 3;

/** Milliseconds of processor time for one replay, everything that a new worker needs included. */
async function measured(histories: readonly Replayed[]): Promise<number> {
  const { code } = await readBundle(BUILT_BUNDLE);
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const pass = async (): Promise<void> => {
    const options = { workflowBundle: { code }, dataConverter: DATA_CONVERTER };
    for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
      if (error !== undefined) throw new Error(`${workflowId}: ${error.message}`);
    }
  };
  for (let done = 0; done < WARMING_PASSES; done += 1) await pass();
  const before = process.cpuUsage();
  for (let done = 0; done < PASSES; done += 1) await pass();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (PASSES * histories.length);
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- replayMs wrote it
const histories = JSON.parse(await text(process.stdin)) as readonly Replayed[];
process.stdout.write(`${JSON.stringify({ ms: await measured(histories) })}\n`);
process.exit(0);
