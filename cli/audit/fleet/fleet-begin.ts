import { readEnvelope, type Envelope } from '../../../domain/authority/signed-envelope.js';
import type { SignedFleet, SignedSettings } from '../../../domain/authority/member-leaves.js';
import {
  fieldsOf,
  readCount,
  readEach,
  readFlag,
  readText,
  whenAll,
} from '../../../domain/fleet/read-fields.js';
import type { GivenPlan } from '../../plan/fleet-plan-digest.js';

/** The plan by which a fleet goes: one that it was given, or that it carries on. */
export interface FleetPlanOnRecord {
  /** Cluster of each row, and its wave. */
  readonly names: readonly string[];
  readonly waveOf: readonly number[];
  readonly planDigest: string;
  readonly revision: number;
  readonly requester: string;
  readonly waves: readonly WaveDemand[];
  /** The plan itself, where it was given. Null where an older build left out what its digest covers, too. */
  readonly given: GivenPlan | null;
  readonly carried: CarriedOn | null;
}

/** With what an execution of a fleet began: the first one with a plan, later ones with the state of the one before. */
export interface FleetBegin extends FleetPlanOnRecord {
  readonly fleet: string;
  /** Who asked for it, and why, as it was started; a ticket may be empty. */
  readonly asked: { readonly actor: string; readonly reason: string; readonly ticket: string };
  /** Null where no one signed. */
  readonly authority: Envelope | null;
  /** What its runs are started with. */
  readonly settings: SignedFleet;
}

/** What a wave demands of people before its first cluster starts. */
export interface WaveDemand {
  readonly name: string;
  readonly before: number;
  /** Null for anyone. */
  readonly approvers: readonly string[] | null;
  /** It was over when the plan was revised. */
  readonly overAtRevision?: true;
}

/** What an execution took over from the one before, or from a fleet that had ended. */
export interface CarriedOn {
  /** First run id of the fleet whose state it is, and of one that was opened again before. */
  readonly fleetRuns: readonly string[];
  readonly stopped: boolean;
  /** Waves that had begun, and those that were over. */
  readonly begun: readonly boolean[];
  readonly over: readonly boolean[];
  /** Rows that had been started. */
  readonly started: readonly boolean[];
  /** Payloads of the commands that directions of rows, and the starts of waves, rest on. */
  readonly signed: readonly string[];
}

/** @throws Error for what no fleet begins with */
export function readFleetBegin(input: unknown): FleetBegin {
  const { fleet, actor, reason, ticket, given, carried } = fieldsOf(input);
  const named = whenAll({
    fleet: readText(fleet),
    actor: readText(actor),
    reason: readText(reason),
  });
  const from = given === null || given === undefined ? carried : given;
  const settings = readFleetSettings(from);
  const rest = from === carried ? readCarried(carried) : readGiven(given);
  if (named === null || settings === null || rest === null)
    throw new Error('what the fleet began with is not what this tool wrote');
  const asked = { ...named, ticket: typeof ticket === 'string' ? ticket : '' };
  return { fleet: named.fleet, asked, ...settings, ...rest };
}

/** Null where it has an authority that is none. */
function readFleetSettings(value: unknown): Pick<FleetBegin, 'settings' | 'authority'> | null {
  const { waves, members, authority } = fieldsOf(value);
  const read = whenAll({
    waves: readEach(waves, readWaveSettings),
    members: readEach(members, (each) => whenAll({ uid: readText(fieldsOf(each)['uid']) })),
  });
  const signed = authority === undefined ? null : readEnvelope(authority);
  if (read === null || (authority !== undefined && signed === null)) return null;
  return { settings: read, authority: signed };
}

function readWaveSettings(value: unknown): SignedSettings | null {
  const { policy, materials, timings } = fieldsOf(value);
  return whenAll({
    policy: policy ?? null,
    materials: materials ?? null,
    timings: timings ?? null,
  });
}

/** The plan that a fleet is given, at its start or later. */
export function readGiven(value: unknown): FleetPlanOnRecord | null {
  const { plan, waves, members, skipped } = fieldsOf(value);
  const fields = fieldsOf(plan);
  const read = whenAll({
    ...namesIn(fields),
    waves: readEach(fields['waves'], readDemand),
    names: readEach(fields['rows'], (row) => readText(fieldsOf(row)['name'])),
    waveOf: readEach(fields['rows'], (row) => readCount(fieldsOf(row)['wave'])),
  });
  if (read === null) return null;
  const parts = whenAll({
    waves: readEach(waves, readObject),
    members: readEach(members, readObject),
    skipped: Array.isArray(skipped) ? skipped : null,
    planned: readEach(fields['waves'], readObject),
    rows: readEach(fields['rows'], readObject),
  });
  const { policy } = fields;
  const given =
    parts === null ? null : { ...parts, plan: { policy, waves: parts.planned, rows: parts.rows } };
  return { ...read, given, carried: null };
}

function readObject(value: unknown): object | null {
  return typeof value === 'object' && value !== null ? value : null;
}

function namesIn({ planDigest, revision, requester }: Readonly<Record<string, unknown>>) {
  return {
    planDigest: readText(planDigest),
    revision: readCount(revision),
    requester: readText(requester),
  };
}

function readDemand(value: unknown): WaveDemand | null {
  const { name, approvals, approvers, overAtRevision } = fieldsOf(value);
  const read = whenAll({ name: readText(name), before: readCount(fieldsOf(approvals)['before']) });
  const people = approvers === null ? [] : readEach(approvers, readText);
  if (read === null || people === null) return null;
  const demand = { ...read, approvers: approvers === null ? null : people };
  return overAtRevision === true ? { ...demand, overAtRevision } : demand;
}

function readCarried(value: unknown): FleetPlanOnRecord | null {
  const { state, requests } = fieldsOf(value);
  const fields = fieldsOf(state);
  const rows = readEach(fields['rows'], readRow);
  const read = whenAll({
    ...namesIn(fields),
    waves: readEach(fields['waves'], readDemand),
    rows,
    standing: readEach(fields['waves'], readStanding),
    fleetRun: readText(fields['fleetRun']),
    stopped: readFlag(fields['stopped']),
    requests: readEach(requests, (each) => ({ signed: fieldsOf(each)['signed'] })),
  });
  if (read === null) return null;
  const { planDigest, revision, requester, waves, standing, stopped } = read;
  const former = readText(fields['formerRun']);
  return {
    ...{ planDigest, revision, requester, waves, given: null },
    names: read.rows.map(({ name }) => name),
    waveOf: read.rows.map(({ wave }) => wave),
    carried: {
      fleetRuns: [read.fleetRun, ...(former === null ? [] : [former])],
      stopped,
      begun: standing.map(({ begun }) => begun),
      over: standing.map(({ over }) => over),
      started: read.rows.map(({ grant }) => grant > 0),
      signed: [
        ...read.requests.flatMap(({ signed }) => payloadOf(signed)),
        ...read.standing.flatMap(({ approved }) => approved),
      ],
    },
  };
}

function readStanding(value: unknown) {
  const { begunMs, over, approvedBefore } = fieldsOf(value);
  const begun = begunMs === null ? false : readCount(begunMs) === null ? null : true;
  const approvals = readEach(approvedBefore ?? [], (each) => payloadOf(fieldsOf(each)['signed']));
  return whenAll({ begun, over: readFlag(over), approved: approvals?.flat() ?? null });
}

function payloadOf(signed: unknown): readonly string[] {
  const envelope = readEnvelope(signed);
  return envelope === null ? [] : [envelope.payload];
}

/** Of an encoded row: `EncodedRow` in domain/fleet/encoded-fleet.ts. */
function readRow(value: unknown) {
  const numbers = itemIn(value, 2);
  return whenAll({
    name: readText(itemIn(value, 0)),
    wave: readCount(itemIn(numbers, 0)),
    grant: readCount(itemIn(numbers, 3)),
  });
}

function itemIn(value: unknown, index: number): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list[index];
}
