import { exportText } from '../../../../cli/audit/export-run.js';
import { digestJson } from '../../../../domain/digest.js';
import { carried } from '../carried-forgeries.js';
import { memoOf, payloads } from '../written-run.js';

export type Members = { [name: string]: unknown };

/** What a history says next: a message, or an activity that completed. */
export type Item =
  | { kind: 'signal'; name: string; value: Members }
  | {
      kind: 'activity';
      name: string;
      id: string;
      input: Members;
      result: unknown;
      /** How its result is carried otherwise than a worker writes it. */
      carried?: string;
    };

export interface OpenExecution {
  runId: string;
  input: Members;
  items: Item[];
}

/** The export of a fleet with its payloads decoded, so that what it says can be changed. */
export interface OpenFleet {
  readonly cover: { workflowId: string; runId: string; fleet: string };
  readonly executions: OpenExecution[];
  /** Null where it has not ended. */
  outcome: Members | null;
}

/** The file of a fleet, with all digests that need no key computed again. */
export function closedFleet({ cover, executions, outcome }: OpenFleet): string {
  const written = executions.map((execution, index) => {
    const history = historyOf(executions, index, outcome);
    return { runId: execution.runId, buildId: '', history, historyDigest: digestJson(history) };
  });
  const content = {
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'FleetAuditExport' },
    ...{ exportedAt: '2026-11-21', tool: 'ccm-migrate 0.1.0', ...cover, executions: written },
  };
  return exportText({ ...content, digest: digestJson(JSON.parse(JSON.stringify(content))) });
}

function historyOf(
  executions: readonly OpenExecution[],
  index: number,
  outcome: OpenFleet['outcome'],
): object {
  const events: object[] = [];
  const add = (event: object): string => {
    const eventId = String(events.length + 1);
    events.push({ eventId, eventTime: '2026-11-21T10:00:00Z', ...event });
    return eventId;
  };
  const idOf = (at: number): string => executions[at]?.runId ?? '';
  const started = { firstExecutionRunId: idOf(0), continuedExecutionRunId: idOf(index - 1) };
  const { input, items } = executions[index] ?? { input: {}, items: [] };
  const given = { input: payloads(input), memo: memoOf(input) };
  add({ workflowExecutionStartedEventAttributes: { ...started, ...given } });
  for (const item of items) addItem(item, add);
  const next = idOf(index + 1);
  if (next !== '')
    add({ workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: next } });
  else if (outcome !== null)
    add({ workflowExecutionCompletedEventAttributes: { result: payloads(outcome) } });
  return { events };
}

function addItem(item: Item, add: (event: object) => string): void {
  if (item.kind === 'signal') {
    const signal = { signalName: item.name, input: payloads(item.value) };
    add({ workflowExecutionSignaledEventAttributes: signal });
    return;
  }
  const { name, id, input, result, carried: how } = item;
  const asked = { activityType: { name }, activityId: id, input: payloads(input) };
  const scheduledEventId = add({ activityTaskScheduledEventAttributes: asked });
  const written = how === undefined ? payloads(result) : carried(how, result);
  const ended = { scheduledEventId, result: written };
  add({ activityTaskCompletedEventAttributes: ended });
}
