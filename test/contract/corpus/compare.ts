import { isObject } from '../../../testbed/base/json.js';
import type { Json, RecordedCall } from './exchange.js';

/** One place where two servers answered differently. `undefined`: the member is absent. */
export interface FoundDifference {
  readonly scenario: string;
  readonly call: string;
  /** For example `answer.body.details.causes[0].message`. */
  readonly path: string;
  readonly real: Json;
  readonly simulated: Json;
}

/** Every place where the calls of a scenario differ. */
export function differences(
  scenario: string,
  real: readonly RecordedCall[],
  simulated: readonly RecordedCall[],
): readonly FoundDifference[] {
  const found: FoundDifference[] = [];
  const length = Math.max(real.length, simulated.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [real[index], simulated[index]];
    const call = one?.call ?? other?.call ?? '';
    const collect = (path: string, left: Json, right: Json): void => {
      found.push({ scenario, call: `${index + 1}. ${call}`, path, real: left, simulated: right });
    };
    walk('', strip(one), strip(other), collect);
  }
  return found;
}

/** Nearly every call has one exchange, and its number would only be noise. */
function strip(call: RecordedCall | undefined): Json {
  if (call === undefined) return undefined;
  const { exchanges, outcome } = call;
  const [first, second] = exchanges;
  return first !== undefined && second === undefined
    ? { call: call.call, ...first, outcome }
    : { call: call.call, exchanges, outcome };
}

type Collect = (path: string, real: Json, simulated: Json) => void;

function walk(path: string, real: Json, simulated: Json, collect: Collect): void {
  if (Array.isArray(real) && Array.isArray(simulated)) {
    for (let index = 0; index < Math.max(real.length, simulated.length); index += 1) {
      walk(`${path}[${index}]`, real[index], simulated[index], collect);
    }
    return;
  }
  if (isObject(real) && isObject(simulated)) {
    for (const name of new Set([...Object.keys(real), ...Object.keys(simulated)])) {
      walk(path === '' ? name : `${path}.${name}`, real[name], simulated[name], collect);
    }
    return;
  }
  if (!Object.is(real, simulated)) collect(path, real, simulated);
}
