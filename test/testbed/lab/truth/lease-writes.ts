import { readFileSync } from 'node:fs';
import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';

/** A write of a Lease as in the API server's audit log. */
export interface LeaseWrite {
  readonly atMs: number;
  readonly user: string;
  readonly holder: string;
  readonly accepted: boolean;
}

interface AuditLine {
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
  readonly requestObject?: { readonly spec?: { readonly holderIdentity?: string } };
  readonly responseStatus?: { readonly code?: number };
}

/** Accepted writes of one Lease of kube-system, oldest first. */
export function leaseWrites({ apiServer }: LabCluster, lease: string): readonly LeaseWrite[] {
  return readFileSync(apiServer.auditLog, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"resource":"leases"') && line.includes(`"name":"${lease}"`))
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ objectRef }) => objectRef?.name === lease)
    .map((line) => ({
      atMs: Date.parse(line.requestReceivedTimestamp),
      user: line.user.username,
      holder: line.requestObject?.spec?.holderIdentity ?? '',
      accepted: (line.responseStatus?.code ?? 500) < 300,
    }))
    .filter(({ accepted }) => accepted);
}

export function secondsBetween(writes: readonly LeaseWrite[]): readonly number[] {
  return writes.slice(1).map(({ atMs }, index) => (atMs - (writes[index]?.atMs ?? atMs)) / 1000);
}
