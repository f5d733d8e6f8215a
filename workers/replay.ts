import { text } from 'node:stream/consumers';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { parseBuildId } from '../config/build-id.js';
import { readBundle } from '../config/bundle-file.js';
import { DATA_CONVERTER } from '../config/data-converter.js';
import { bundleOfWriter } from './kept-bundle.js';
import { BUILT_BUNDLE } from './workflow-bundle.js';

/**
 * Replays one history against the bundle that wrote it: `{workflowId, history, buildId, bundles}` as JSON on stdin, one line
 * `pass|fail|skipped WHY` on stdout. It proves that this code makes these decisions, not that code and history are
 * unmodified.
 */
interface Order {
  readonly workflowId: string;
  readonly history: unknown;
  /** The last build that wrote the history; empty when unknown. */
  readonly buildId: string;
  /** Folder with bundles of other versions, which may be run; empty for none. */
  readonly bundles: string;
}

async function replay({ workflowId, history, buildId, bundles }: Order): Promise<string> {
  const writer = parseBuildId(buildId)?.bundle ?? buildId;
  const found = await bundleOfWriter(writer, bundles, await readBundle(BUILT_BUNDLE));
  if (found.kind === 'none') return `skipped ${found.why}`;
  const { bundle } = found;
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
