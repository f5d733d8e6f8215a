import { createDraws } from '../../simulator/clock/draws.js';

/** The order in which a script takes the nodes. */
export type Order = 'names' | { readonly seed: number };

/** The nodes in that order. A seed always gives the same one. */
export function orderOf(nodes: readonly string[], order: Order): readonly string[] {
  const byName = nodes.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return order === 'names' ? byName : shuffled(byName, order.seed);
}

/** Fisher-Yates: every order is equally likely. */
function shuffled(items: readonly string[], seed: number): readonly string[] {
  const draws = createDraws(`order-of-nodes/${seed}`);
  const rest = [...items];
  const drawn: string[] = [];
  while (rest.length > 0) {
    drawn.push(...rest.splice(Math.floor(draws.between(0, rest.length)), 1));
  }
  return drawn;
}
