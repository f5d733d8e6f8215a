import type { ClusterActivities, GuardActivities } from '../../activities/contract.js';
import type { FleetActivities } from '../../activities/fleet-contract.js';
import { parseJson } from '../read-json.js';

type Activities = ClusterActivities & GuardActivities & FleetActivities;

type Returning<What> = {
  [Name in keyof Activities]: Awaited<ReturnType<Activities[Name]>> extends What ? Name : never;
}[keyof Activities];

/**
 * All activities that return no object, which alone has a place for a signature. A closed list: what else a history says
 * without one was not said by a worker, and all who can complete a task could make any result look like nothing.
 */
const UNSIGNED: Readonly<
  Record<Returning<void>, 'nothing'> & Record<Returning<readonly unknown[]>, 'list'>
> = { restFence: 'nothing', startClusters: 'list', broadcast: 'list', windowOpenings: 'list' };

const KINDS: ReadonlyMap<string, 'nothing' | 'list'> = new Map(Object.entries(UNSIGNED));

export type ResultForm =
  /** An object, which a worker signs. */
  | { readonly kind: 'object' }
  /** Nothing or a list, of an activity that returns no object. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'wrong'; readonly why: string };

/** What a result is, by its text. An object is one from its first byte: a worker writes no space before what it signs. */
export function formOf(activity: string, carried: string): ResultForm {
  switch (KINDS.get(activity)) {
    case undefined:
      return carried.startsWith('{') ? { kind: 'object' } : wrong(`${activity} returned no object`);
    case 'nothing':
      return carried === '' ? { kind: 'silent' } : wrong(`${activity} returned something`);
    case 'list':
      return isList(carried) ? { kind: 'silent' } : wrong(`${activity} returned no list`);
  }
}

function wrong(why: string): ResultForm {
  return { kind: 'wrong', why };
}

function isList(carried: string): boolean {
  return carried.startsWith('[') && Array.isArray(parseJson(carried));
}
