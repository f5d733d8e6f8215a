import { text } from 'node:stream/consumers';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { parseBuildId } from '../config/build-id.js';
import { DATA_CONVERTER } from '../config/data-converter.js';
import { BUILT_BUNDLE, readBundle } from './workflow-bundle.js';

/**
 * Replays one history against the built bundle: `{workflowId, history, buildId}` as JSON on stdin, one line
 * `pass|fail|skipped WHY` on stdout. It proves that this code makes these decisions, not that code and history are
 * unmodified.
 */
interface Order {
  readonly workflowId: string;
  readonly history: unknown;
  /** The last build that wrote the history; empty when unknown. */
  readonly buildId: string;
}

async function replay({ workflowId, history, buildId }: Order): Promise<string> {
  const bundle = await readBundle(BUILT_BUNDLE);
  const writer = parseBuildId(buildId)?.bundle ?? buildId;
  if (writer !== '' && bundle.digest !== writer) {
    return `skipped written by bundle ${writer}, this installation has ${bundle.digest}`;
  }
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  try {
    const options = { workflowBundle: { code: bundle.code }, dataConverter: DATA_CONVERTER };
    await Worker.runReplayHistory(options, history, workflowId);
    return `pass the history matches what bundle ${bundle.digest} does`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `fail ${why.replaceAll('\n', ' ')}`;
  }
}

async function readOrder(): Promise<Order> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own CLI writes it
  return JSON.parse(await text(process.stdin)) as Order;
}

const answer = await replay(await readOrder());
process.stdout.write(`${answer}\n`);
process.exit(0);
