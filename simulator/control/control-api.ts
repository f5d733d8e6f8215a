import {
  badRequestAnswer,
  json,
  methodNotAllowed,
  NOT_SERVED,
  statusAnswer,
} from '../api/answers.js';
import type { Answer, SimulatedRequest } from '../api/request.js';
import { jsonBody, notAnObject } from '../api/writes.js';
import { parsePlan, type FaultPlan } from '../faults/fault-plan.js';
import type { Parking } from '../faults/parking.js';
import type { SimulatedCluster } from '../model.js';
import { refusal } from '../store/refusals.js';
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
 * faulted, and only cluster administrators may send them.
 */
export function answerControl(context: ControlContext, request: SimulatedRequest): Answer {
  if (!request.requester.groups.includes('system:masters')) return NOT_ALLOWED;
  const { method, query } = request;
  const part = request.path.slice(CONTROL.length);
  switch (part) {
    case '/truth':
      return method === 'GET' ? json(200, truth(context)) : methodNotAllowed(method);
    case '/journal':
      return json(200, { items: context.journal.since(Number(query.get('since') ?? '0')) });
    case '/cloud-journal':
      return json(200, {
        items: context.cluster.cloudJournal().slice(Number(query.get('since') ?? '0')),
      });
    case '/faults':
      return answerFaults(context, request);
    case '/faults/release':
      if (method !== 'POST') return methodNotAllowed(method);
      return json(200, { released: context.parking.release() });
    case '/events':
      return method === 'POST' ? answerEvent(context, request) : methodNotAllowed(method);
    default:
      return NOT_SERVED;
  }
}

const NOT_ALLOWED = statusAnswer({
  ...refusal(403, 'Forbidden', 'the simulator is controlled by members of system:masters only'),
});

function truth({ cluster, speed }: ControlContext): object {
  return { ...cluster.truth(), speed };
}

function answerFaults({ faults, parking }: ControlContext, request: SimulatedRequest): Answer {
  switch (request.method) {
    case 'GET':
      return json(200, { ...faults.state(), parked: parking.parked() });
    case 'DELETE':
      faults.arm([]);
      return json(200, { armed: 0, released: parking.release() });
    case 'POST': {
      const body = jsonBody(request.body);
      if (body === null) return notAnObject();
      const plan = parsePlan(body);
      if (!plan.ok) return badRequestAnswer(plan.message);
      faults.arm(plan.planned);
      return json(200, { armed: plan.planned.length });
    }
    default:
      return methodNotAllowed(request.method);
  }
}

function answerEvent({ cluster }: ControlContext, request: SimulatedRequest): Answer {
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  const outcome = raiseEvent(cluster, body);
  switch (outcome.kind) {
    case 'struck':
      return json(200, { struck: true });
    case 'missed':
      return statusAnswer({ code: 404, reason: 'NotFound', message: outcome.message });
    case 'refused':
      return badRequestAnswer(outcome.message);
  }
}
