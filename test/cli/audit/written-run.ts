import { predictEffect } from '../../../domain/model/predict-effect.js';
import { decideRun } from '../../../domain/decision/decide-run.js';
import type { DecisionRequest } from '../../../domain/decision/run-decision.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import {
  packObservation,
  type PackedObservation,
  unpackObservation,
} from '../../../domain/observation/packed-observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { policyOf } from '../../support/cluster-builder.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';

/** A payload as a JSON history stores it: bytes are base64. */
export const JSON_PLAIN = { encoding: Buffer.from('json/plain').toString('base64') };

export function payloads(value: unknown): object {
  const data = Buffer.from(JSON.stringify(value)).toString('base64');
  return { payloads: [{ metadata: JSON_PLAIN, data }] };
}

/** An event without its id, which `historyOf` assigns. */
export type WrittenEvent = Readonly<Record<string, unknown>>;

/** An activity scheduled with `input` that returned `result`; null means that it failed. */
export interface WrittenActivity {
  readonly name: string;
  readonly input: unknown;
  readonly result: unknown;
}

export type Written = WrittenActivity | { readonly event: WrittenEvent };

export function command(verb: string, actor = 'ana', more: object = {}): Written {
  const input = payloads({ verb, commandId: `${verb} by ${actor}`, actor, ...more });
  return { event: { workflowExecutionSignaledEventAttributes: { signalName: 'command', input } } };
}

export interface WrittenExecution {
  readonly runId: string;
  readonly first: string;
  readonly previous: string;
  readonly next: string;
  /** With what the run was started, where a test reads it; its memo says the same. */
  readonly input?: { readonly actor: string; readonly ticket: string };
}

export const ONLY: WrittenExecution = { runId: 'run-1', first: 'run-1', previous: '', next: '' };

/** A history in JSON, as the server returns it. */
export function historyOf(
  written: readonly Written[],
  { first, previous, next, input: given }: WrittenExecution = ONLY,
  end: readonly WrittenEvent[] = [],
): { readonly events: readonly object[] } {
  const events: object[] = [];
  let activities = 0;
  const add = (event: WrittenEvent): string => {
    const eventId = String(events.length + 1);
    events.push({ eventId, eventTime: '2026-11-21T10:00:00Z', ...event });
    return eventId;
  };
  const started = {
    ...{ firstExecutionRunId: first, continuedExecutionRunId: previous },
    ...(given === undefined ? {} : { input: payloads(given), memo: memoOf(given) }),
  };
  add({ workflowExecutionStartedEventAttributes: started });
  for (const one of written) {
    if ('event' in one) {
      add(one.event);
      continue;
    }
    const input = payloads(one.input);
    const activityType = { name: one.name };
    activities += 1;
    const asked = { activityType, activityId: String(activities), input };
    const id = add({ activityTaskScheduledEventAttributes: asked });
    const ended = { scheduledEventId: id };
    if (one.result === null) add({ activityTaskFailedEventAttributes: ended });
    else {
      const result = payloads(one.result);
      add({ activityTaskCompletedEventAttributes: { ...ended, result } });
    }
  }
  for (const event of end) add(event);
  if (next !== '') {
    add({ workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: next } });
  }
  return { events };
}

/** As a run or a fleet is started: its memo says in texts what its input does. */
export function memoOf(given: object): object {
  const said = Object.entries(given).filter(([, value]) => typeof value === 'string');
  const fields = said.map(([name, value]) => [name, fieldOf(value)] as const);
  return { fields: Object.fromEntries(fields) };
}

function fieldOf(value: unknown): object {
  return { metadata: JSON_PLAIN, data: Buffer.from(JSON.stringify(value)).toString('base64') };
}

/** The part of an input that every activity has. */
export const CONTEXT = {
  ...{ cluster: { name: 'c1', uid: 'uid-1' }, workflowId: 'cluster-migration/uid-1' },
  ...{ runId: 'run-1', actor: 'ana', reason: 'CHG-1', planDigest: 'sha256:0' },
} as const;

/** What a worker of this build records for a run over a cluster that behaves as the model predicts. */
export function recordedBy(
  decidedBy: string,
  start: ClusterObservation,
  mostSteps = 60,
  revision = 0,
  target: DecisionRequest['target'] = 'ccm',
): readonly WrittenActivity[] {
  const policy = policyOf();
  const decide: DecisionRequest = {
    ...{ ...NO_JUDGEMENTS, since: start.inventory, revision, target },
  };
  const asked = { ...CONTEXT, policy, decide, epoch: 1 };
  const inspected = (observation: ClusterObservation) => ({
    observation: packObservation(observation),
    decision: decideRun(observation, policy, decide),
    decidedBy,
    firstSeen: [],
    guarded: true,
  });
  const written: WrittenActivity[] = [
    { name: 'takeFence', input: CONTEXT, result: { epoch: 1, displaced: '' } },
    { name: 'observeCluster', input: asked, result: inspected(start) },
  ];
  for (let observation = start, steps = 0; steps < mostSteps; steps += 1) {
    const { next } = decideRun(observation, policy, decide);
    if (next.kind !== 'step') break;
    const { planned } = next;
    observation = predictEffect(observation, planned.step.effect, policy);
    written.push({
      name: 'executeStep',
      input: { ...asked, planned },
      result: { ...inspected(observation), verdicts: [], summary: {} },
    });
  }
  return written;
}

/**
 * A soak that a command had cancelled: it ends after this activity, with what it decided toward the other target before the run
 * turned.
 */
export function lateSoak({ input, result }: WrittenActivity): WrittenActivity {
  const { policy, decide, ...rest } = input as {
    readonly policy: MigrationPolicy;
    readonly decide: DecisionRequest;
  };
  const { observation, decidedBy } = result as {
    readonly observation: PackedObservation;
    readonly decidedBy: string;
  };
  const before: DecisionRequest = { ...decide, target: 'kcm', revision: decide.revision - 1 };
  const decision = decideRun(unpackObservation(observation), policy, before);
  return {
    name: 'soak',
    input: { ...rest, policy, decide: before, soakMs: 1000, progress: null },
    result: { observation, decision, decidedBy, firstSeen: [], guarded: true },
  };
}
