import type { ListsThenAndNow } from '../../domain/comparison/compared-object.js';
import { differenceText, unexplainedDifferences } from '../../domain/comparison/differences.js';
import { notPassed } from '../../domain/gates/hard-gates.js';
import { survivalGates } from '../../domain/gates/survival-gates.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { Inventory } from '../../domain/observation/observation.js';
import type { CollectedSnapshot } from '../observe/collect-snapshot.js';
import { objectListText } from '../observe/object-list.js';
import { withCloud } from '../observe/with-cloud.js';
import { listsSince } from '../start-list.js';
import type { EffectReport, StepSession } from './step-session.js';
import { listInventory, note, observeAgain, observeUntil, timingsOf } from './step-session.js';

interface Compared {
  readonly snapshot: CollectedSnapshot;
  readonly lists: ListsThenAndNow | null;
  readonly verdicts: readonly GateVerdict[];
}

/**
 * Compares what must survive with the start of the run: addresses of load balancers, worker Nodes, what cloud controllers
 * write into Services, Nodes and volumes, and what the cloud itself lists. Read only. A difference is given time, because a new owner first works through its
 * backlog; one that remains fails a gate.
 */
export async function compareWithStart(
  session: StepSession,
  since: Inventory,
): Promise<EffectReport> {
  const { effectMs, pollMs } = timingsOf(session);
  // What the step has begun with is fresh, except for the inventory, unless it had to write first.
  let list = session.counts.intents === 0 ? listInventory : observeListed;
  let seen: Compared = { snapshot: session.snapshot, lists: null, verdicts: [] };
  await observeUntil(session, {
    what: 'load balancers, Nodes and volumes as they were',
    withinMs: effectMs,
    everyMs: 4 * pollMs,
    snapshot: async () => {
      const listed = await list(session, seen.snapshot);
      seen = await compared(session, since, await withCloudOf(session, listed));
      list = observeListed;
      return notPassed(seen.verdicts).length === 0 ? true : null;
    },
  });
  const { snapshot, lists, verdicts } = seen;
  await tell(session, lists, notPassed(verdicts));
  return { lost: null, snapshot, verdicts };
}

function withCloudOf(
  { ports: { cloud }, input, scope }: StepSession,
  snapshot: CollectedSnapshot,
): Promise<CollectedSnapshot> {
  const { requestMs: timeoutMs } = input.timings;
  return withCloud(cloud, snapshot, { signal: scope.signal, timeoutMs });
}

function observeListed(
  session: StepSession,
  before: CollectedSnapshot,
): Promise<CollectedSnapshot> {
  return observeAgain(session, before, ['inventory']);
}

/** The verdicts name the first objects; the log has more of them, and both lists are beside the evidence. */
async function tell(
  session: StepSession,
  lists: ListsThenAndNow | null,
  failed: readonly GateVerdict[],
): Promise<void> {
  if (failed.length === 0) {
    note(session, 'load balancers, Nodes and volumes are as they were');
    return;
  }
  note(session, failed.map(({ detail }) => detail).join('; '));
  if (lists === null) return;
  const { evidence, input, log } = session;
  await evidence.keepText(input, objectListText(lists.now));
  const differences = unexplainedDifferences(lists).slice(0, MOST_LOGGED).map(differenceText);
  log.warn('not as at the start of the run', { cluster: input.cluster.name, differences });
}

/** A line of a log has its limits, too. */
const MOST_LOGGED = 200;

async function compared(
  { evidence, input }: StepSession,
  since: Inventory,
  snapshot: CollectedSnapshot,
): Promise<Compared> {
  const { observation, cached } = snapshot;
  const now = observation.inventory;
  // Of the same digest there is nothing to name.
  const lists =
    now.objectsDigest === since.objectsDigest
      ? null
      : await listsSince(evidence, input, since, cached.objects);
  return { snapshot, lists, verdicts: survivalGates(now, since, lists) };
}
