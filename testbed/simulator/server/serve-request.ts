import type { ServerResponse } from 'node:http';
import { statusAnswer } from '../../base/http/answers.js';
import type { JsonAnswer, ClusterRequest } from '../../base/http/request.js';
import type { Fault, PlannedFault } from '../faults/fault-plan.js';
import type { ClusterFront, Effect } from './cluster-front.js';
import { cut, departure, send, sendTruncated } from '../../base/http/exchange.js';

interface Served {
  readonly front: ClusterFront;
  readonly request: ClusterRequest;
  readonly outgoing: ServerResponse;
  readonly index: number;
  readonly planned: PlannedFault | null;
  readonly gone: AbortSignal;
}

/** Serves one counted request: records it, applies a fault, executes it, responds. */
export async function serveRequest(
  front: ClusterFront,
  request: ClusterRequest,
  outgoing: ServerResponse,
): Promise<void> {
  const summary = front.summarize(request);
  const { userAgent } = request;
  const path = fullPath(request);
  const index = front.journal.add({
    ...summary,
    atMs: front.cluster.clock.nowMs(),
    user: request.requester.user,
    userAgent,
    path,
  });
  const planned = front.faults.strike({ ...summary, path, userAgent });
  const gone = departure(outgoing);
  if (planned !== null) front.journal.settle(index, { fault: planned.fault });
  const served: Served = { front, request, outgoing, index, planned, gone };
  if (!(await struckBefore(served))) await answerAfter(served);
}

/** The path with its query, for the journal: for node access, the query names the file. */
function fullPath({ path, query }: ClusterRequest): string {
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Faults before the effect; true when they end the request. */
async function struckBefore(served: Served): Promise<boolean> {
  const { planned, outgoing, gone } = served;
  const refused = planned === null ? undefined : REFUSALS[planned.fault];
  if (refused !== undefined) {
    settleAndSend(served, { answer: refused, tookEffect: false });
    return true;
  }
  if (planned?.fault === 'resetBefore') {
    cut(outgoing);
    return true;
  }
  if (planned?.fault === 'hang') {
    await park(served, planned);
    cut(outgoing);
    return true;
  }
  if (planned?.fault !== 'pauseBefore') return false;
  await park(served, planned);
  // If the client disconnected while parked, the cluster treats the request as never sent.
  return gone.aborted;
}

async function answerAfter(served: Served): Promise<void> {
  const { front, request, outgoing, planned, index } = served;
  const effect = front.applyOperation(request, planned?.fault === 'staleRead');
  front.journal.settle(index, { tookEffect: effect.tookEffect });
  if (planned?.fault === 'resetAfter') {
    cut(outgoing);
    return;
  }
  if (planned?.fault === 'truncate') {
    front.journal.settle(index, { code: effect.answer.code });
    sendTruncated(outgoing, effect.answer);
    return;
  }
  if (planned?.fault === 'pauseAfter') await park(served, planned);
  settleAndSend(served, effect);
}

function settleAndSend({ front, outgoing, index, gone }: Served, effect: Effect): void {
  if (gone.aborted) return;
  front.journal.settle(index, { code: effect.answer.code });
  send(outgoing, effect.answer, front.cluster.clock.nowMs());
}

function park({ front, request, index, gone }: Served, planned: PlannedFault): Promise<void> {
  const { verb } = front.summarize(request);
  return front.parking.park(
    { index, fault: planned.fault, verb, path: fullPath(request) },
    planned,
    gone,
  );
}

const REFUSALS: Readonly<Partial<Record<Fault, JsonAnswer>>> = {
  conflict: statusAnswer(
    409,
    'Conflict',
    'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again',
  ),
  throttle: statusAnswer(429, 'TooManyRequests', 'too many requests, please try again later', {
    retryAfterSeconds: 1,
  }),
  serverError: statusAnswer(
    500,
    'InternalError',
    'Internal error occurred: etcdserver: request timed out',
  ),
};
