import type { Order } from './orders.js';

/** Who moves the controllers, and how. */
export type Contender =
  /** This project's workflow, through its command line. */
  | { readonly kind: 'product'; readonly forward: 'inPlace' | 'replace' }
  /** The official guide, by a plain script. */
  | {
      readonly kind: 'guide';
      readonly order: Order;
      /** `literal`: names and grant as they are printed there; `corrected`: as they have to be since 1.28. */
      readonly files: 'corrected' | 'literal';
      readonly change: ManifestChange;
    };

/** A manifest is written over the old one, or the old one is taken away and the new one written when its pod is gone. */
export type ManifestChange = 'replaced' | 'anew';

export interface Row {
  readonly name: string;
  readonly title: string;
  /** Control-plane nodes of its lab. */
  readonly nodes: number;
  /** `fresh`: what it does to machines cannot be undone, so each run has a lab of its own. */
  readonly lab: 'kept' | 'fresh';
  readonly contender: Contender;
  /** Which side of the comparison it is; null for a row that only tells. */
  readonly side: 'ours' | 'guide' | null;
}

const guide = (order: Order, change: ManifestChange = 'replaced'): Contender => ({
  kind: 'guide',
  files: 'corrected',
  ...{ order, change },
});
const IN_PLACE: Contender = { kind: 'product', forward: 'inPlace' };
const THREE = { nodes: 3, lab: 'kept' } as const;
const ONE = { nodes: 1, lab: 'kept', side: null } as const;

/** Seeds whose orders of three nodes are neither that of their names nor each other's: a test holds them to it. */
export const SEEDS = { a: 1, b: 3 } as const;

/** Every row that can be run; the last one takes a lab for each run and is run when it is named. */
export const ROWS: readonly Row[] = [
  {
    ...THREE,
    name: 'ours',
    title: 'ours, in place',
    contender: IN_PLACE,
    side: 'ours',
  },
  {
    ...THREE,
    name: 'guide',
    title: 'guide, name order',
    contender: guide('names'),
    side: 'guide',
  },
  {
    ...THREE,
    name: 'guide-a',
    title: 'guide, seeded order A',
    contender: guide({ seed: SEEDS.a }),
    side: 'guide',
  },
  {
    ...THREE,
    name: 'guide-b',
    title: 'guide, seeded order B',
    contender: guide({ seed: SEEDS.b }),
    side: 'guide',
  },
  {
    ...THREE,
    name: 'literal',
    title: 'guide, literal',
    contender: { kind: 'guide', order: 'names', files: 'literal', change: 'replaced' },
    side: null,
  },
  { ...ONE, name: 'one-ours', title: 'one node: ours', contender: IN_PLACE },
  {
    ...ONE,
    name: 'one-replaced',
    title: 'one node: guide, manifest replaced',
    contender: guide('names'),
  },
  {
    ...ONE,
    name: 'one-anew',
    title: 'one node: guide, taken away and written anew',
    contender: guide('names', 'anew'),
  },
  {
    name: 'ours-replaced',
    title: 'ours, machines replaced',
    contender: { kind: 'product', forward: 'replace' },
    ...{ nodes: 3, lab: 'fresh', side: null },
  },
];

/** What is run when no row is named. */
export const USUAL_ROWS: readonly Row[] = ROWS.filter(({ lab }) => lab === 'kept');

/** @throws Error that names the rows there are. */
export function rowNamed(name: string): Row {
  const row = ROWS.find((one) => one.name === name);
  if (row !== undefined) return row;
  const names = ROWS.map((one) => one.name).join(', ');
  throw new Error(`there is no row "${name}"; there are ${names}`);
}
