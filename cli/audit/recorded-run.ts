import type { LoadedDataConverter } from '@temporalio/common';
import type {
  CloseReport,
  DecidedObservation,
  FenceGrant,
  ObserveInput,
  PlannedStepInput,
  RunContext,
} from '../../activities/contract.js';
import { nativeDigest } from '../../activities/native-digest.js';
import type { PlannedStep } from '../../domain/decision/run-decision.js';
import type { ChainHead } from '../../domain/evidence/chain.js';
import { member } from '../read-json.js';
import { activitiesOf, type HistoryActivity } from './history-activities.js';
import { eventsOf, firstPayload, textIn } from './history-facts.js';
import {
  foreignRecord,
  payloadReader,
  readExecutions,
  type ReadExecutions,
  type ReadPayload,
} from './read-executions.js';
import {
  recordedAdmission,
  beganOf,
  recordedCommand,
  hearingTimes,
  type RecordedCommandEvent,
  refusalsOf,
} from './recorded-commands.js';

/**
 * What the histories of a run recorded as observed, decided and done, in the order in which the workflow received it.
 */
export type RecordedEvent = { readonly where: string } & (
  | { readonly kind: 'fence'; readonly epoch: number }
  | {
      readonly kind: 'observed';
      readonly input: RecordedInput;
      readonly observed: DecidedObservation;
    }
  | {
      readonly kind: 'step';
      readonly planned: PlannedStep;
      readonly epoch: number;
      readonly revision: number;
      readonly ended: 'well' | 'badly' | 'open';
      /** Changes that it reported. */
      readonly mutations: number;
      /** Digest of the statement that the run rests on; empty where it rests on none. */
      readonly statement: string;
      /** What the step was given, as far as it could be read: only `decide` is certain to be there. */
      readonly asked: PlannedStepInput;
    }
  /** How far the evidence went when an activity that writes had completed. `ends`: nothing follows it. */
  | { readonly kind: 'evidence'; readonly head: ChainHead; readonly ends: boolean }
  /** An activity that writes was asked for. `step`: as its evidence names it; `closes`: how the run ended, empty before. */
  | {
      readonly kind: 'asked';
      readonly step: string;
      readonly closes: string;
      readonly asked: AskedContext;
    }
  | RecordedCommandEvent
);

/**
 * What evidence repeats of the input of an activity that writes. `epoch` is null where its result names it; `evidence` is what the
 * run knew of its evidence, null before its first record and of an older build.
 */
export type AskedContext = Pick<
  RunContext,
  'workflowId' | 'runId' | 'cluster' | 'actor' | 'reason' | 'planDigest'
> & { readonly epoch: number | null; readonly evidence: ChainHead | null };

/** What a decision rests on besides the observation. */
export type RecordedInput = Pick<ObserveInput, 'policy' | 'decide'>;

export type RecordedRun = ReadExecutions<RecordedEvent>;

const OBSERVING_ACTIVITIES: readonly string[] = ['observeCluster', 'executeStep', 'soak'];

/**
 * Reads the executions of a run in order. What was never written, for example by a workflow that failed at its start,
 * is absent from the result; anything present that cannot be read makes the whole run unreadable.
 */
export function recordedRun(
  histories: readonly unknown[],
  converter: LoadedDataConverter,
): Promise<RecordedRun> {
  return readExecutions(histories, (history, execution) => eventsIn(history, converter, execution));
}

async function eventsIn(
  history: unknown,
  converter: LoadedDataConverter,
  execution: string,
): Promise<readonly RecordedEvent[]> {
  const { begun, ended } = activitiesOf(history);
  const heardAtMs = hearingTimes(history);
  const found: RecordedEvent[] = [{ where: execution, ...beganOf(history) }];
  for (const event of eventsOf(history)) {
    const id = textIn(event, 'eventId');
    const where = `${execution}, event ${id}`;
    const read = payloadReader(converter, where);
    const [scheduled, completed] = [begun.get(id), ended.get(id)];
    const facts = [
      scheduled?.name === 'executeStep' ? await stepOf(scheduled, read) : null,
      scheduled === undefined ? null : await askedOf(scheduled, read),
      ...(completed === undefined ? [] : await resultsOf(completed, read)),
      await recordedCommand(event, heardAtMs, read),
    ];
    for (const one of facts) if (one !== null) found.push({ where, ...one });
  }
  const refusals = await refusalsOf(history, converter);
  return refusals === null ? found : [...found, { where: execution, ...refusals }];
}

type Fact<Kind extends RecordedEvent['kind']> = Omit<
  RecordedEvent & { readonly kind: Kind },
  'where'
>;

async function stepOf(
  { scheduled, result, ended }: HistoryActivity,
  read: ReadPayload,
): Promise<Fact<'step'>> {
  const value = await read(firstPayload(member(scheduled, 'input')));
  const asked = asRecorded<PlannedStepInput>(value, [
    ['planned.step.name', 'string'],
    ['planned.step.effect.kind', 'string'],
    ['epoch', 'number'],
    ['decide.revision', 'number'],
  ]);
  const { planned, epoch, decide } = asked;
  const statement = statementIn(value);
  const mutations = ended === 'well' ? mutationsIn(await read(firstPayload(result))) : 0;
  const { revision } = decide;
  return { kind: 'step', planned, epoch, revision, ended, mutations, statement, asked };
}

function mutationsIn(report: unknown): number {
  const mutations = member(member(report, 'summary'), 'mutations');
  return typeof mutations === 'number' ? mutations : 0;
}

const WRITING_ACTIVITIES: readonly string[] = ['takeFence', 'executeStep', 'closeRun'];

async function askedOf(
  { name, scheduled }: HistoryActivity,
  read: ReadPayload,
): Promise<Fact<'asked'> | null> {
  if (!WRITING_ACTIVITIES.includes(name)) return null;
  const value = await read(firstPayload(member(scheduled, 'input')));
  const input = asRecorded<PlannedStepInput>(value, [
    ...(['workflowId', 'runId', 'cluster.name', 'actor', 'reason', 'planDigest'] as const).map(
      (path) => [path, 'string'] as const,
    ),
    ...(name === 'takeFence' ? [] : [['epoch', 'number'] as const]),
  ]);
  const step = name === 'executeStep' ? input.planned.step.name : name;
  const { workflowId, runId, cluster, actor, reason, planDigest } = input;
  const epoch = name === 'takeFence' ? null : input.epoch;
  const evidence = headIn(value)?.head ?? null;
  const closes = name === 'closeRun' ? textIn(value, 'outcome') : '';
  return {
    ...{ kind: 'asked', step, closes },
    asked: { workflowId, runId, cluster, actor, reason, planDigest, epoch, evidence },
  };
}

function statementIn(input: unknown): string {
  const payload = textIn(member(member(input, 'authority'), 'start'), 'payload');
  return payload === '' ? '' : nativeDigest(Buffer.from(payload, 'base64').toString('utf8'));
}

/** Null where an older build reported none, and of activities that write nothing. */
function headIn(value: unknown): Fact<'evidence'> | null {
  if (member(value, 'evidence') === undefined) return null;
  const { evidence } = asRecorded<{ readonly evidence: ChainHead }>(value, [
    ['evidence.records', 'number'],
    ['evidence.hash', 'string'],
  ]);
  return { kind: 'evidence', head: evidence, ends: false };
}

function endIn(value: unknown): Fact<'evidence'> {
  const { evidenceRecords: records, evidenceHead: hash } = asRecorded<CloseReport>(value, [
    ['evidenceRecords', 'number'],
    ['evidenceHead', 'string'],
  ]);
  return { kind: 'evidence', head: { records, hash }, ends: true };
}

type Result = Fact<'fence'> | Fact<'observed'> | Fact<'evidence'> | Fact<'admission'>;

async function resultsOf(
  activity: HistoryActivity,
  read: ReadPayload,
): Promise<readonly (Result | null)[]> {
  const { name, scheduled, result } = activity;
  if (name === 'admitCommand') return [await recordedAdmission(activity, read)];
  if (name === 'takeFence') {
    const value = await read(firstPayload(result));
    const { epoch } = asRecorded<FenceGrant>(value, [['epoch', 'number']]);
    return [{ kind: 'fence', epoch }, headIn(value)];
  }
  if (name === 'closeRun') return [endIn(await read(firstPayload(result)))];
  if (!OBSERVING_ACTIVITIES.includes(name)) return [];
  const input = asRecorded<RecordedInput>(await read(firstPayload(member(scheduled, 'input'))), [
    ['policy', 'object'],
    ['decide', 'object'],
  ]);
  const value = await read(firstPayload(result));
  const observed = asRecorded<DecidedObservation>(value, [
    ['decision', 'object'],
    ['decidedBy', 'string'],
  ]);
  return [{ kind: 'observed', input, observed }, headIn(value)];
}

/**
 * The parts of a payload that the checks read directly. The rest is judged by re-running the decision, which may fail:
 * an export that was tampered with may lack anything.
 */
type Needed = readonly (readonly [path: string, type: 'string' | 'number' | 'object'])[];

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only the needed part is checked
function asRecorded<T>(value: unknown, needed: Needed): T {
  const lacking = needed.find(([path, type]) => {
    const found = path.split('.').reduce(member, value);
    return typeof found !== type || found === null;
  });
  if (lacking !== undefined) {
    throw foreignRecord(lacking[0]);
  }
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the parts that the checks read are present
  return value as T;
}
