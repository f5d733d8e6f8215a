import { CARRIED_NAMES } from '../carried-forgeries.js';
import type { Dice } from '../forged-exports.js';
import type { OpenFleet } from './closed-fleet.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Holder = Json[] | { [name: string]: Json };

/** One change of anything that the export of a fleet says. */
export function mutated(open: OpenFleet, dice: Dice): { open: OpenFleet; what: string } {
  const { executions } = open;
  if (dice(6) === 0) {
    const what = carriedOtherwise(executions, dice);
    if (what !== null) return { open, what };
  }
  if (dice(5) > 0) {
    const roots = rootsOf(open);
    const [name, root] = roots[dice(roots.length)] ?? ['', {}];
    return { open, what: `${name}: ${changeLeaf(root, dice)}` };
  }
  const { items } = executions[dice(executions.length)] ?? { items: [] };
  const [at, to] = [dice(items.length), dice(items.length)];
  const [item] = items.splice(at, 1);
  if (item !== undefined && dice(2) === 0) items.splice(to, 0, item);
  if (dice(2) === 0)
    items.forEach((each, index) => each.kind === 'activity' && (each.id = String(index + 1)));
  return { open, what: `item ${String(at)} moved to ${String(to)}, or left out` };
}

/** What a worker let pass, in a form that no worker writes. Lists are signed by no one. */
function carriedOtherwise(executions: OpenFleet['executions'], dice: Dice): string | null {
  const signed = executions
    .flatMap(({ items }) => items)
    .flatMap((item) => (item.kind === 'activity' && !Array.isArray(item.result) ? [item] : []));
  const one = signed[dice(Math.max(signed.length, 1))];
  const how = CARRIED_NAMES[dice(CARRIED_NAMES.length)];
  if (one === undefined || how === undefined) return null;
  one.carried = how;
  return `what ${one.name} returned, ${how}`;
}

/** What may be changed into anything; the rest is the shape of this test. */
function rootsOf({
  cover,
  executions,
  outcome,
}: OpenFleet): readonly (readonly [string, Holder])[] {
  const items = executions.flatMap((each) => each.items);
  const values = items.flatMap((item) =>
    item.kind === 'signal' ? [item.value] : [item.input, item.result],
  );
  const all = [cover, outcome, ...executions.map(({ input }) => input), ...values] as Json[];
  return all.flatMap((each, at) =>
    typeof each === 'object' && each !== null && Object.keys(each).length > 0
      ? [[`part ${String(at)}`, each] as const]
      : [],
  );
}

function changeLeaf(root: Holder, dice: Dice): string {
  const path: string[] = [];
  let holder = root;
  for (;;) {
    const names = Object.keys(holder);
    const name = names[dice(names.length)] ?? '';
    path.push(name);
    const value = (holder as { [name: string]: Json })[name] ?? null;
    const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
    if (isLeaf || dice(15) === 0) {
      (holder as { [name: string]: Json })[name] = changed(value, dice);
      return path.join('.');
    }
    holder = value;
  }
}

function changed(before: Json, dice: Dice): Json {
  if (typeof before === 'number') return before + 1 + dice(3);
  if (typeof before === 'boolean') return !before;
  if (typeof before !== 'string') return before === null ? 'x' : null;
  const at = dice(Math.max(before.length, 1));
  return dice(6) === 0 ? '' : `${before.slice(0, at)}z${before.slice(at + 1)}`;
}
