import type { Manager } from '../../../domain/vocabulary.js';
import type { ClusterTruth } from '../../lab/truth/cluster-truth.js';
import { OWNED } from '../../base/truth/truth.js';

/** Whether each controller has exactly one owner, a manager of the given kind, and one KCM leads. */
export function isOwnedBy(
  { controllers, kcmLeadership }: Pick<ClusterTruth, 'controllers' | 'kcmLeadership'>,
  manager: Manager,
): boolean {
  const hasOne = ({ intervals }: ClusterTruth['kcmLeadership'], prefix: string): boolean => {
    const owners = intervals.at(-1)?.owners ?? [];
    return owners.length === 1 && owners[0]?.startsWith(prefix) === true;
  };
  const areOwned = OWNED.every((loop) => hasOne(controllers[loop], `${manager}:`));
  return areOwned && hasOne(kcmLeadership, 'kcm:');
}
