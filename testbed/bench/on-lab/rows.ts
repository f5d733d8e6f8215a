import type { Order } from './orders.js';

/** What moves the controllers, and how. */
export type Contender =
  /** This project's workflow, through its command line. */
  | { readonly kind: 'product'; readonly forward: 'inPlace' | 'replace' }
  /** The official guide, by a plain script. */
  | {
      readonly kind: 'guide';
      readonly order: Order;
      /** `literal`: names and grant as printed in the guide; `corrected`: as required since 1.28. */
      readonly files: 'corrected' | 'literal';
      readonly change: ManifestChange;
    };

/** `replaced`: the manifest is overwritten. `removedFirst`: it is removed, and the new one is written when its pod is gone. */
export type ManifestChange = 'replaced' | 'removedFirst';

export interface BenchRow {
  readonly name: string;
  readonly title: string;
  /** Control-plane nodes of its lab. */
  readonly nodes: number;
  /** `fresh`: its changes to machines cannot be undone, so each run needs a lab of its own. */
  readonly lab: 'kept' | 'fresh';
  readonly contender: Contender;
  /** Its side of the comparison; null for a row that is only reported. */
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

/** Seeds whose orders of three nodes differ from the order of names and from each other; a test verifies this. */
export const SEEDS = { a: 1, b: 3 } as const;

/** Every row that can be run; the last one needs a lab for each run, and runs only when it is named. */
export const ROWS: readonly BenchRow[] = [
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
    name: 'one-removed-first',
    title: 'one node: guide, removed first, then written',
    contender: guide('names', 'removedFirst'),
  },
  {
    name: 'ours-replaced',
    title: 'ours, machines replaced',
    contender: { kind: 'product', forward: 'replace' },
    ...{ nodes: 3, lab: 'fresh', side: null },
  },
];

/** The rows that run when none is named. */
export const USUAL_ROWS: readonly BenchRow[] = ROWS.filter(({ lab }) => lab === 'kept');

/** @throws Error that lists the existing rows. */
export function rowNamed(name: string): BenchRow {
  const row = ROWS.find((one) => one.name === name);
  if (row !== undefined) return row;
  const names = ROWS.map((one) => one.name).join(', ');
  throw new Error(`there is no row "${name}"; choose from ${names}`);
}
