import { clusterLabels } from '../cluster-groups.js';
import type { ClusterInventory } from '../kinds/cluster-inventory.js';
import type { ClusterSelection } from '../kinds/cluster-selection.js';
import { didYouMean } from '../nearest-name.js';
import type { ValidDocument } from '../validated-documents.js';
import type { Complain, DocumentPath } from './complain.js';

/** A cluster as an inventory defines it. */
export interface FleetMember {
  readonly inventory: ValidDocument<ClusterInventory>;
  /** Position in that inventory. */
  readonly index: number;
  readonly name: string;
  /** What selectors, caps and correlated failures know: its labels, and its region as one. */
  readonly labels: ReadonlyMap<string, string>;
}

/** All clusters of the inventories, in their order. */
export function membersOf(
  inventories: readonly ValidDocument<ClusterInventory>[],
): readonly FleetMember[] {
  return inventories.flatMap((inventory) =>
    inventory.content.spec.clusters.map(({ name, region, labels }, index) => ({
      ...{ inventory, index, name },
      labels: clusterLabels({ region, labels }),
    })),
  );
}

/** The members that a selection means, in their order. */
export function selectedOf(
  members: readonly FleetMember[],
  { names, labels }: ClusterSelection,
): readonly FleetMember[] {
  const wantedNames = names === undefined ? null : new Set(names);
  const wantedLabels = Object.entries(labels ?? {});
  return members.filter(
    (member) =>
      (wantedNames?.has(member.name) ?? true) &&
      wantedLabels.every(([key, value]) => member.labels.get(key) === value),
  );
}

interface WrittenNames {
  readonly names: readonly string[];
  readonly path: DocumentPath;
  /** What a name is not in. */
  readonly place: string;
}

/** Suggestions compare with every known name; a file of wrong names gets only some. */
const MOST_SUGGESTIONS = 10;

/** Reports each written name that no member has; whether there was one. */
export function reportUnknown(
  members: readonly FleetMember[],
  { names, path, place }: WrittenNames,
  complain: Complain,
): boolean {
  const known = new Set(members.map(({ name }) => name));
  const unknown = names.flatMap((name, index) => (known.has(name) ? [] : [{ name, index }]));
  for (const [position, { name, index }] of unknown.entries()) {
    const hint = position < MOST_SUGGESTIONS ? didYouMean(name, [...known]) : '';
    complain({ path: [...path, index], message: `not in ${place}${hint}`, code: 'CCM5008' });
  }
  return unknown.length > 0;
}

/** Which of the wanted labels no member has, as the end of a message; empty when each exists somewhere. */
export function missingLabel(
  members: readonly FleetMember[],
  { labels = {} }: ClusterSelection,
): string {
  for (const [key, value] of Object.entries(labels)) {
    const values = valuesOf(members, key);
    if (values.includes(value)) continue;
    return values.length === 0
      ? `: none has a label "${key}"${didYouMean(key, labelKeysOf(members))}`
      : `: none has ${key} "${value}"${didYouMean(value, values)}`;
  }
  return '';
}

export function labelKeysOf(members: readonly FleetMember[]): readonly string[] {
  return [...new Set(members.flatMap(({ labels }) => [...labels.keys()]))];
}

function valuesOf(members: readonly FleetMember[], key: string): readonly string[] {
  return [...new Set(members.flatMap(({ labels }) => labels.get(key) ?? []))];
}

const MOST_NAMED = 3;

/** `eu-1, eu-2, eu-3 and 9 more`. */
export function someOf(names: readonly string[]): string {
  const named = names.slice(0, MOST_NAMED).join(', ');
  const others = names.length - MOST_NAMED;
  return others > 0 ? `${named} and ${String(others)} more` : named;
}
