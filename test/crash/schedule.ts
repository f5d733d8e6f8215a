import type { Attributed } from './attribution.js';
import type { CrashPoint, DirectionName } from './crash-point.js';
import { disturb, nodeOf, pointKey, pointOf, stepOf } from './crash-point.js';
import type { Moment } from './simulator-proxy.js';

/** A crash point with the step of the golden run that it belongs to, counted from its start. */
export interface PlannedPoint {
  readonly point: CrashPoint;
  readonly stepNumber: number;
}

const MOMENTS: readonly Moment[] = ['before', 'after'];

/** Every crash point of one golden direction, in order: each mutating request before its effect, and after it. */
export function crashPointsOf(
  direction: DirectionName,
  requests: readonly Attributed[],
): readonly PlannedPoint[] {
  const points = new Map<string, PlannedPoint>();
  let stepNumber = 0;
  let at = '';
  for (const [index, request] of requests.entries()) {
    const upTo = requests.slice(0, index + 1);
    if (request.kind === 'kept') {
      const here = `${stepOf(request)} ${nodeOf(request.entry) ?? at.split(' ')[1] ?? ''}`;
      if (here !== at) stepNumber += 1;
      at = here;
    }
    for (const moment of MOMENTS) {
      const point = pointOf(direction, upTo, moment);
      const key = pointKey(point);
      if (!points.has(key)) points.set(key, { point, stepNumber });
    }
  }
  return [...points.values()];
}

/** What to strike in the next run: as many per step as it survives, and points struck together far apart. Later runs take the rest. */
export function nextPoints(
  open: readonly PlannedPoint[],
  killsInStep: number,
): readonly PlannedPoint[] {
  const bySteps = new Map<string, PlannedPoint[]>();
  for (const planned of open) {
    const step = `${planned.point.direction} ${String(planned.stepNumber)}`;
    bySteps.set(step, [...(bySteps.get(step) ?? []), planned]);
  }
  const chosen: PlannedPoint[] = [];
  for (const planned of [...bySteps.values()].flatMap((points) => spread(points, killsInStep))) {
    if (!chosen.some(({ point }) => disturb(point, planned.point))) chosen.push(planned);
  }
  return chosen;
}

function spread(points: readonly PlannedPoint[], most: number): readonly PlannedPoint[] {
  if (points.length <= most) return points;
  const stride = points.length / most;
  return Array.from(
    { length: most },
    (_, position) => points[Math.floor(position * stride)],
  ).filter((point) => point !== undefined);
}
