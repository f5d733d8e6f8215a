import type { MetricGatePolicy } from '../../policy.js';
import type { Manager } from '../../vocabulary.js';
import type { CatalogueGate, MinorRange, ServedBy } from './catalogue-gate.js';
import { COUNT_GATES } from './count-gates.js';
import { QUEUE_GATES } from './queue-gates.js';

/**
 * Every gate on a manager's metrics. Only series that were read in the source of the releases named there are in it; what the
 * CCMs of other repositories add was not read. Never compared with a KCM: `rest_client_*`, `process_*` and `cloudprovider_*`,
 * which count the work of thirty other controllers as well.
 */
export const GATE_CATALOGUE: readonly CatalogueGate[] = [...COUNT_GATES, ...QUEUE_GATES];

/** The gates that a policy has judged. */
export function judgedCatalogue({
  catalogue,
  except,
}: Pick<MetricGatePolicy, 'catalogue' | 'except'>): readonly CatalogueGate[] {
  return catalogue === 'off' ? [] : GATE_CATALOGUE.filter(({ name }) => !except.includes(name));
}

/** A manager of which the metrics are asked for. */
export interface Serving {
  readonly manager: Manager;
  /** Of the KCM, or of the CCM's k8s.io/cloud-provider library. */
  readonly minor: number;
  /** The in-tree provider of a KCM; null when it has none or it is not known. */
  readonly provider: string | null;
}

/** Whether a manager serves what a gate needs. `unread`: in releases that were not read, it may or may not. */
export type Availability =
  | { readonly kind: 'served' }
  | { readonly kind: 'absent'; readonly why: string }
  | { readonly kind: 'unread'; readonly why: string };

/** The minors of which the source was read. */
export const READ_MINORS: MinorRange = { from: 21, to: 36 };

export function availability(gate: CatalogueGate, serving: Serving): Availability {
  const { manager, minor, provider } = serving;
  if (!isWithin(READ_MINORS, minor)) {
    return { kind: 'unread', why: `metrics of 1.${String(minor)} were not read` };
  }
  const rows = gate.served.filter((row) => row.manager === manager);
  if (rows.length === 0) return { kind: 'absent', why: `no ${manager.toUpperCase()} serves it` };
  const ofProvider = rows.filter((row) => row.provider === null || row.provider === provider);
  if (ofProvider.length === 0) return { kind: 'absent', why: otherProvider(rows) };
  return ofProvider.some(({ minors }) => isWithin(minors, minor))
    ? { kind: 'served' }
    : {
        kind: 'absent',
        why: `served ${ofProvider.map(({ minors }) => rangeText(minors)).join(', ')}`,
      };
}

function otherProvider(rows: readonly ServedBy[]): string {
  const names = rows.filter(isOfProvider).map(({ provider }) => provider);
  return `served with provider ${names.join(', ')}`;
}

function isOfProvider(row: ServedBy): row is ServedBy & { readonly provider: string } {
  return row.provider !== null;
}

function isWithin({ from, to }: MinorRange, minor: number): boolean {
  return minor >= from && (to === null || minor <= to);
}

/** As people write it: `1.27 and newer`, `1.21 to 1.26`. */
export function rangeText({ from, to }: MinorRange): string {
  return to === null ? `1.${String(from)} and newer` : `1.${String(from)} to 1.${String(to)}`;
}
