import { createHash } from 'node:crypto';
import type { SimulatedNode } from '../model.js';
import { badRequestAnswer, statusAnswer } from '../../base/http/answers.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { AUTHORITY_FILE } from '../nodes/node-settings.js';

/** The cluster that owned this node at its last change, beside the epoch: `UID SHA256…`. */
const CLUSTER_FILE = '/var/lib/ccm-migrate/cluster';

/** Refuses a request that names no cluster or another one; null when this node belongs to the named cluster. */
export function refusedCluster(node: SimulatedNode, query: URLSearchParams): JsonAnswer | null {
  const uid = query.get('cluster') ?? '';
  const named = query.getAll('authority');
  if (uid === '' || named.length === 0) {
    return badRequestAnswer('cluster and authority must name the cluster of the node');
  }
  const own = authorities(node);
  if (!own.some((one) => named.includes(one))) {
    return foreign(node, `its authority is ${own.join(' ')}, and not ${named.join(' or ')}`);
  }
  const kept = node.files.read(CLUSTER_FILE)?.content;
  if (kept === undefined) return null;
  const [keptUid, ...keptAuthorities] = kept.split(' ');
  return keptUid === uid && keptAuthorities.some((one) => named.includes(one))
    ? null
    : foreign(node, `an earlier run recorded that it belongs to ${kept}, not to ${uid}`);
}

/** Records the cluster of this node with the authorities known to both sides, so that a CA rotation is followed. */
export function keepCluster(node: SimulatedNode, query: URLSearchParams): void {
  const named = query.getAll('authority');
  const shared = authorities(node).filter((one) => named.includes(one));
  const text = [query.get('cluster') ?? '', ...shared].join(' ');
  if (node.files.read(CLUSTER_FILE)?.content !== text) node.files.write(CLUSTER_FILE, text, '0600');
}

/** SHA-256 of each certificate in the node's authority file. */
function authorities(node: SimulatedNode): readonly string[] {
  const pem = node.files.read(AUTHORITY_FILE)?.content ?? '';
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g);
  return [...blocks].map(([, body = '']) =>
    createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex'),
  );
}

function foreign(node: SimulatedNode, why: string): JsonAnswer {
  const message = `node "${node.name}" does not belong to that cluster: ${why}`;
  return statusAnswer(403, 'ForeignCluster', message);
}
