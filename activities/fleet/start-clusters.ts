import { clusterWorkflowId } from '../../config/names.js';
import { memberProof } from '../../domain/authority/member-tree.js';
import { digestJson } from '../../domain/digest.js';
import type { StartOrder } from '../../domain/fleet/fleet-outbox.js';
import { FORWARD } from '../../domain/fleet/fleet-plan.js';
import { UNPLANNED } from '../../domain/run/unplanned.js';
import type { Membership } from '../../domain/run/membership.js';
import type { Materials, RunAuthority } from '../contract.js';
import { failureTypeOf, plainMessage } from '../failures.js';
import type { StartClustersInput, StartedCluster } from '../fleet-contract.js';
import type { FleetDependencies } from './fleet-dependencies.js';
import type { FleetFacts } from './fleet-facts.js';
import { inParallel } from './in-parallel.js';
import type { DescribedRun, RegionService } from './run-directory.js';

type Answer = Pick<StartedCluster, 'answer' | 'signature'>;
type Open = Extract<DescribedRun, { kind: 'open' }>;

interface Starting {
  readonly own: FleetDependencies;
  readonly input: StartClustersInput;
  readonly start: StartOrder;
  readonly facts: FleetFacts;
  readonly row: FleetFacts['rows'][number];
  readonly wave: FleetFacts['waves'][number];
  readonly workflowId: string;
  readonly serviceOf: (region: string) => Promise<RegionService>;
}

/** Starts or adopts runs, each at most once whatever becomes of the attempts. */
export async function startFleetClusters(
  own: FleetDependencies,
  facts: FleetFacts,
  input: StartClustersInput,
): Promise<readonly StartedCluster[]> {
  const serviceOf = onceForEach((region: string) => own.directory.serviceOf(region));
  return inParallel(input.starts, async (start) => {
    const { row: index, grant } = start;
    return { row: index, grant, ...(await startOne({ own, facts, input, serviceOf }, start)) };
  });
}

function onceForEach<Result>(ask: (key: string) => Promise<Result>) {
  const asked = new Map<string, Promise<Result>>();
  return (key: string): Promise<Result> => {
    const answer = asked.get(key) ?? ask(key);
    asked.set(key, answer);
    return answer;
  };
}

async function startOne(
  given: Pick<Starting, 'own' | 'facts' | 'input' | 'serviceOf'>,
  start: StartOrder,
): Promise<Answer> {
  const row = given.facts.rows[start.row];
  const wave = row === undefined ? undefined : given.facts.waves[row.wave];
  if (row === undefined || wave === undefined) return refused('the fleet has no such cluster');
  const workflowId = clusterWorkflowId(row.uid);
  const starting = { ...given, start, row, wave, workflowId };
  try {
    return await startOrJoin(starting, await settled(starting));
  } catch (error) {
    // The server will never accept it, so that no attempt helps; the others of this call must not wait for it.
    if (failureTypeOf(error) === 'InvalidInput') return refused(plainMessage(error));
    throw error;
  }
}

/** How long an earlier run of the row, which has reported its end, takes to close. */
const CLOSES_WITHIN_MS = 20_000;
const OBSERVED_EVERY_MS = 250;

/** The newest run of the cluster; an earlier one of this row has reported that it ends, so its end is awaited. */
async function settled(starting: Starting): Promise<DescribedRun> {
  const { own, workflowId } = starting;
  const deadlineMs = own.clock.nowMs() + CLOSES_WITHIN_MS;
  for (;;) {
    const found = await own.directory.describe(workflowId);
    const ends = found.kind === 'open' && isPredecessor(starting, found.member);
    if (!ends || own.clock.nowMs() >= deadlineMs) return found;
    await own.clock.sleep(OBSERVED_EVERY_MS, own.scope().signal);
  }
}

async function startOrJoin(starting: Starting, found: DescribedRun): Promise<Answer> {
  const { own, start, row, input } = starting;
  if (found.kind !== 'none' && isThisGrant(starting, found.member)) return STARTED;
  if (found.kind === 'open') return join(starting, found);
  if (found.kind === 'closed' && hasJustEnded(starting, found)) return JUST_ENDED;
  const away = notServed(start, row.region, await starting.serviceOf(row.region));
  if (away !== null) return away;
  const { fleetRun } = input;
  const requestId = digestJson({ fleetRun, row: start.row, grant: start.grant });
  const started = await own.directory.start(runFor(starting, found), requestId, row.groups);
  if (started === 'started') return STARTED;
  const other = await own.directory.describe(starting.workflowId);
  if (other.kind === 'none') return JUST_ENDED;
  return isThisGrant(starting, other.member) ? STARTED : busyWith(other);
}

/**
 * A run that finds no guard changes nothing, but has its place in the fleet meanwhile. A rollback is started all the same: its guard is then
 * the next one in the queue.
 */
function notServed({ target }: StartOrder, region: string, service: RegionService): Answer | null {
  switch (service) {
    case 'served':
      return null;
    case 'full':
      if (target !== FORWARD) return null;
      return { answer: 'queued', signature: `worker of region ${region} is full or busy` };
    case 'unserved':
      return { answer: 'unreachable', signature: `no worker serves region ${region}` };
  }
}

const STARTED: Answer = { answer: 'started', signature: '' };
const JUST_ENDED: Answer = { answer: 'queued', signature: 'a run of it has just ended' };

/** An earlier attempt may have adopted it: no run follows before the rule has seen how it ended. */
function hasJustEnded(starting: Starting, found: Extract<DescribedRun, { kind: 'closed' }>) {
  const since = found.closedAtMs >= starting.input.askedAtMs;
  return since && !isPredecessor(starting, found.member);
}

function refused(signature: string): Answer {
  return { answer: 'refused', signature };
}

function isOfRow({ input, start }: Starting, member: Membership | null): member is Membership {
  return member?.fleetRun === input.fleetRun && member.row === start.row;
}

function isThisGrant(starting: Starting, member: Membership | null): boolean {
  return isOfRow(starting, member) && member.grant === starting.start.grant;
}

function isPredecessor(starting: Starting, member: Membership | null): boolean {
  return isOfRow(starting, member) && member.grant < starting.start.grant;
}

/** Only a run that goes where this one would, by the same plan, and that has no fleet, becomes a member. */
async function join(starting: Starting, found: Open): Promise<Answer> {
  const { own, input, facts, start, row, workflowId } = starting;
  if (found.member !== null || start.target !== FORWARD) return busyWith(found);
  const direction = await own.directory.direction(workflowId);
  if (direction?.target !== start.target || direction.planDigest !== row.planDigest) {
    return busyWith(found);
  }
  // Another fleet may have adopted it since.
  if (![found.fleet, facts.fleet].includes(direction.fleet)) {
    return { answer: 'busy', signature: `fleet ${direction.fleet}` };
  }
  const { fleetRun, fleetWorkflowId } = input;
  const order = { kind: 'adopt', fleetWorkflowId } as const;
  const { row: index, grant } = start;
  const sent = await own.directory.signal(workflowId, { fleetRun, row: index, grant, order });
  switch (sent) {
    case 'sent':
      return { answer: 'adopted', signature: '' };
    case 'over':
      return JUST_ENDED;
    case 'unreachable':
      return { answer: 'queued', signature: 'its run could not be told' };
  }
}

function busyWith({
  actor,
  reason,
  fleet,
  member,
}: Pick<Open, 'actor' | 'reason' | 'fleet' | 'member'>): Answer {
  const of = member === null ? 'a run of its own' : `fleet ${fleet}`;
  return { answer: 'busy', signature: `${of} by ${actor}: ${reason}` };
}

function runFor({ input, facts, start, row, wave }: Starting, found: DescribedRun) {
  const { policy, timings, materials } = wave;
  const { target, actor, reason, grant } = start;
  const { fleetWorkflowId, fleetRun } = input;
  return {
    cluster: { name: row.name, uid: row.uid },
    ...{ region: row.region, fleet: facts.fleet, wave: wave.name, ticket: facts.ticket },
    member: { fleetWorkflowId, fleetRun, row: start.row, grant },
    ...{ target, policy, timings, materials, actor, reason },
    planDigest: isAsPlanned(start, input, found) ? row.planDigest : UNPLANNED,
    ...authorityFor(facts.authority, { start, wave: row.wave, materials, input }),
  };
}

interface Authorised extends Pick<Starting, 'start' | 'input'> {
  /** Position of its wave. */
  readonly wave: number;
  readonly materials: Materials;
}

/** The fleet's statement, that it covers the row, who approved its wave, and the command that the row's direction rests on. */
function authorityFor(
  authority: FleetFacts['authority'],
  { start: { row, grant, signed }, wave: index, materials, input }: Authorised,
): { readonly authority?: RunAuthority } {
  if (authority === null) return {};
  const { start, levels, waves } = authority;
  const wave = waves[index];
  const approvals = input.approvals?.filter(({ wave: of }) => of === index) ?? [];
  const member = {
    ...{ grant, materials: digestJson(materials), proof: memberProof(levels, row) },
    ...(wave && { wave, approvals: approvals.flatMap(({ signed: given }) => given) }),
  };
  return { authority: { start, commands: signed === undefined ? [] : [signed], member } };
}

/**
 * The plan is of the cluster before anything changed it, and of the way forward. A run that goes back, or that follows a run
 * of this row that changed it, is planned by its own check, as a run is that turns.
 */
function isAsPlanned(
  { target, row }: StartOrder,
  { fleetRun }: StartClustersInput,
  found: DescribedRun,
): boolean {
  if (target !== FORWARD) return false;
  if (found.kind !== 'closed') return true;
  const { member, outcome } = found;
  const ofRow = member?.fleetRun === fleetRun && member.row === row;
  // What a terminated run had done is unknown.
  return !ofRow || outcome?.stepsDone === 0;
}
