import { badRequestAnswer, json, NOT_SERVED, statusAnswer } from '../../base/http/answers.js';
import type { ServedAnswer, ClusterRequest } from '../../base/http/request.js';
import { jsonBody, notAnObject } from '../../base/http/json-body.js';
import { parseCloudFaults } from '../cloud/parse-cloud-faults.js';
import { parsePlan, type FaultPlan } from '../faults/fault-plan.js';
import type { Parking } from '../faults/parking.js';
import type { SimulatedCluster } from '../model.js';
import { raiseEvent } from './events.js';
import type { RequestJournal } from './request-journal.js';

export const CONTROL = '/simulator/v1';

export interface ControlContext {
  readonly cluster: SimulatedCluster;
  readonly journal: RequestJournal;
  readonly faults: FaultPlan;
  readonly parking: Parking;
  readonly speed: number;
}

/**
 * docs/contracts/simulator-control.md: truth, journals, faults and events. Requests to it are neither counted nor
 * subject to faults, and only cluster administrators may send them.
 */
export function answerControl(context: ControlContext, request: ClusterRequest): ServedAnswer {
  if (!request.requester.groups.includes('system:masters')) return NOT_ALLOWED;
  const route = `${request.method} ${request.path.slice(CONTROL.length)}`;
  return ROUTES[route]?.(context, request) ?? NOT_SERVED;
}

type Route = (context: ControlContext, request: ClusterRequest) => ServedAnswer;

const ROUTES: Readonly<Record<string, Route>> = {
  'GET /truth': ({ cluster, speed }) => json(200, { ...cluster.truth(), speed }),
  'GET /journal': ({ journal }, request) => json(200, { items: journal.since(since(request)) }),
  'GET /cloud-journal': ({ cluster }, request) =>
    json(200, { items: cluster.cloudJournal().slice(since(request)) }),
  'GET /faults': ({ faults, parking }) =>
    json(200, { ...faults.state(), parked: parking.parked() }),
  'POST /faults': armFaults,
  'DELETE /faults': ({ faults, parking }) => {
    faults.arm([]);
    return json(200, { armed: 0, released: parking.release() });
  },
  'POST /faults/release': ({ parking }) => json(200, { released: parking.release() }),
  'GET /cloud-faults': ({ cluster }) => json(200, cloudState(cluster)),
  'POST /cloud-faults': orderCloudFaults,
  'DELETE /cloud-faults': ({ cluster }) => {
    cluster.cloudFaults.heal();
    return json(200, cloudState(cluster));
  },
  'POST /events': answerEvent,
};

function since({ query }: ClusterRequest): number {
  const index = Number(query.get('since') ?? '0');
  return Number.isInteger(index) && index > 0 ? index : 0;
}

const NOT_ALLOWED = statusAnswer(
  403,
  'Forbidden',
  'the simulator is controlled by members of system:masters only',
);

function armFaults({ faults }: ControlContext, request: ClusterRequest): ServedAnswer {
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  const plan = parsePlan(body);
  if (!plan.ok) return badRequestAnswer(plan.message);
  faults.arm(plan.planned);
  return json(200, { armed: plan.planned.length });
}

function cloudState(cluster: SimulatedCluster): object {
  return { faults: cluster.cloudFaults.list, hanging: cluster.hangingCloudCalls() };
}

function orderCloudFaults({ cluster }: ControlContext, request: ClusterRequest): ServedAnswer {
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  const parsed = parseCloudFaults(body);
  if (!parsed.ok) return badRequestAnswer(parsed.message);
  cluster.cloudFaults.replace(parsed.faults);
  return json(200, cloudState(cluster));
}

function answerEvent({ cluster }: ControlContext, request: ClusterRequest): ServedAnswer {
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  const outcome = raiseEvent(cluster, body);
  switch (outcome.kind) {
    case 'struck':
      return json(200, { struck: true });
    case 'missed':
      return statusAnswer(404, 'NotFound', outcome.message);
    case 'refused':
      return badRequestAnswer(outcome.message);
  }
}
