import type { Signer } from '../authority/signing-key.js';
import type { Client } from '@temporalio/client';
import { type HookFormat, readHook } from '../../config/automation/hook-payloads.js';
import type { AutomationToken } from '../../domain/automation/automation-token.js';
import { type HookOutcome, hookStatus } from '../../domain/automation/hook-answer.js';
import {
  type ResolvedOrder,
  type RunOrder,
  ordersForRuns,
} from '../../domain/automation/orders-for-runs.js';
import { type Allowance, takeOne } from '../../domain/automation/rate.js';
import { type RequestedOrder, requestedOrders } from '../../domain/automation/requested-orders.js';
import { deliverOrder } from './deliver-orders.js';
import { within } from './within.js';
import { reachRuns, type UidOf } from './reach-runs.js';

/** What became of one alert. */
export interface AlertResult {
  readonly fingerprint: string;
  readonly outcome: HookOutcome;
  /** Workflow id of the run or fleet; empty where none is meant. */
  readonly run: string;
  readonly verb: string;
  readonly commandId: string;
  readonly detail: string;
}

export interface HookAnswer {
  readonly status: number;
  /** What is wrong with the request as a whole; empty otherwise. */
  readonly problem: string;
  readonly results: readonly AlertResult[];
}

export interface HookWork {
  /** Signs rollbacks; absent where no key is given. */
  readonly signer?: Signer;
  readonly client: Client;
  readonly uidOf: UidOf;
  readonly clock: () => number;
  /** How long Temporal has for one order; each further run of a request adds a little. */
  readonly patienceMs: number;
  /** Of rollbacks, by the name of the token. */
  readonly turns: Map<string, Allowance>;
}

/** A turn is the more harmful order: a storm of alerts pauses, and turns a few. */
const TURNS = { burst: 10, perMinute: 10 };

/** Does what the alerts of one request ask for, and never waits for what comes of it. */
export async function answerHook(
  work: HookWork,
  token: AutomationToken,
  format: HookFormat,
  body: string,
): Promise<HookAnswer> {
  const read = readHook(format, body);
  if (read.kind === 'unreadable') {
    return { status: read.status, problem: read.problem, results: [] };
  }
  const { orders, ignored } = requestedOrders(read.group, work.clock());
  const nowhere = ignored.map(({ fingerprint, outcome, detail }) => ({
    ...{ fingerprint, outcome, detail, run: '', verb: '', commandId: '' },
  }));
  const delivered = await carryOut(work, { token, groupKey: read.group.groupKey }, orders);
  const results = [...nowhere, ...delivered];
  return { status: hookStatus(results.map(({ outcome }) => outcome)), problem: '', results };
}

async function carryOut(
  work: HookWork,
  asking: { readonly token: AutomationToken; readonly groupKey: string },
  requested: readonly RequestedOrder[],
): Promise<readonly AlertResult[]> {
  const resolved = await within(work.client, work.patienceMs * RESOLVING, async () =>
    resolve(work, requested),
  );
  if (resolved === null) {
    return requested.map((order) => resultOf(order, 'unavailable', AWAY));
  }
  const { orders, refused, unmatched } = ordersForRuns(asking, resolved);
  const withinMs = work.patienceMs * (1 - RESOLVING) + orders.length * EACH_MS;
  const delivering = {
    ...{ client: work.client, tokenName: asking.token.name },
    readWithinMs: work.patienceMs * READING,
    mayTurn: () => mayTurn(work, asking.token),
    signer: work.signer ?? null,
  };
  const delivered = await Promise.all(
    orders.map(async (order) => {
      const sent = await within(work.client, withinMs, async () => deliverOrder(delivering, order));
      const { outcome, detail } = sent ?? ({ outcome: 'unavailable', detail: AWAY } as const);
      return resultOf(order, outcome, detail);
    }),
  );
  return [
    ...delivered,
    ...refused.map(({ order, run }) => ({
      ...resultOf(order, 'forbidden', 'beyond the scope of the token'),
      run: run.workflowId,
    })),
    ...unmatched.map((order) => resultOf(order, 'unmatched', 'no open run')),
  ];
}

function resultOf(
  order: RequestedOrder | RunOrder,
  outcome: HookOutcome,
  detail: string,
): AlertResult {
  const { fingerprint, verb } = order;
  const [run, commandId] = 'run' in order ? [order.run.workflowId, order.commandId] : ['', ''];
  return { fingerprint, outcome, run, verb, commandId, detail };
}

const AWAY = 'Temporal does not answer; nothing is known to be stored, and the same again is safe';
/** The share of the time in which the runs are found; in the rest they are read, and told. */
const RESOLVING = 0.35;
/** A run that does not answer in this share is told without being asked: that costs an event, and the command is the same. */
const READING = 0.2;
/** For each run above one: a server of Temporal stores some hundreds of signals a second. */
const EACH_MS = 10;

/** Each target is looked up once, however many alerts name it. */
async function resolve(
  { client, uidOf }: HookWork,
  orders: readonly RequestedOrder[],
): Promise<readonly ResolvedOrder[]> {
  const found = new Map<string, ReturnType<typeof reachRuns>>();
  return Promise.all(
    orders.map(async (order) => {
      const key = JSON.stringify(order.target);
      const runs = found.get(key) ?? reachRuns(client, order.target, uidOf);
      found.set(key, runs);
      return { order, runs: await runs };
    }),
  );
}

function mayTurn({ turns, clock }: HookWork, { name }: AutomationToken): boolean {
  const { taken, after } = takeOne(TURNS, turns.get(name) ?? null, clock());
  turns.set(name, after);
  return taken;
}
