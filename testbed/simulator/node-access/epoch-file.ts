import type { SimulatedNode } from '../model.js';
import { statusAnswer } from '../../base/http/answers.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { keepCluster } from './cluster-file.js';

/** Where a node records the newest run that changed it; outside of every folder that a kubelet or a run reads. */
const EPOCH_FILE = '/var/lib/ccm-migrate/epoch';

/**
 * Admits a change by a run with this epoch. Null when no newer epoch was seen; cluster and epoch are then recorded.
 * Everything here is synchronous, which is the lock that the contract requires.
 */
export function refusedEpoch(
  node: SimulatedNode,
  query: URLSearchParams,
  epoch: number,
): JsonAnswer | null {
  if (!Number.isSafeInteger(epoch) || epoch < 0) {
    return statusAnswer(400, 'BadRequest', 'epoch must be a whole number');
  }
  const seen = Number(node.files.read(EPOCH_FILE)?.content ?? '0');
  if (epoch < seen) {
    return statusAnswer(
      409,
      'StaleEpoch',
      `epoch ${epoch} is older than ${seen}, which node "${node.name}" has seen`,
    );
  }
  keepCluster(node, query);
  if (epoch > seen) node.files.write(EPOCH_FILE, String(epoch), '0600');
  return null;
}
