import type { CloudJournalLine } from '../../../../testbed/lab/cloud/cloud-call.js';
import type { LeaseWrite } from '../../../../testbed/lab/truth/audit-entry.js';
import {
  clusterTruth,
  type ClusterTruth,
  type Evidence,
} from '../../../../testbed/lab/truth/cluster-truth.js';
import type {
  ProcessBegan,
  MonitorLine,
} from '../../../../testbed/lab/process-monitor/monitor-line.js';

/** Times of these stories are seconds from here. */
const START_MS = Date.UTC(2026, 0, 1);
export const at = (second: number): number => START_MS + second * 1000;

const KCM_LEASE = 'kube-system/kube-controller-manager';
const CCM_LEASE = 'kube-system/cloud-controller-manager';
export const LOCK = 'kube-system/cloud-provider-extraction-migration';

const ADDRESSES: Readonly<Record<string, string>> = {
  'cp-1': '198.18.17.11',
  'cp-2': '198.18.17.12',
};

const FILE = `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: cloud-provider-extraction-migration
controllerLeaders:
  - { name: service-lb-controller, component: "*" }
  - { name: node-route-controller, component: "*" }
  - { name: cloud-node-lifecycle-controller, component: "*" }
`;

/** A manager's process whose start the process monitor observed. */
export function began(
  manager: 'kcm' | 'ccm',
  pid: number,
  second: number,
  changes: Partial<ProcessBegan> = {},
): ProcessBegan {
  const provider = '--cloud-provider=labcloud';
  return {
    kind: 'began',
    id: `${pid}:1`,
    ...{ cluster: 'lab-1', node: 'cp-1', manager, pid, version: '1.30.14' },
    ...{ startedAtMs: at(second), atMs: at(second) },
    arguments: [
      ...[provider, '--allocate-node-cidrs=true', '--configure-cloud-routes=true'],
      ...['--enable-leader-migration=true', '--leader-migration-config=/x.yaml'],
    ],
    migrationFile: FILE,
    ...changes,
  };
}

export const WITHOUT_MIGRATION = {
  arguments: ['--cloud-provider=labcloud', '--allocate-node-cidrs=true'],
  migrationFile: null,
} as const;

export const EXTERNAL = {
  arguments: ['--cloud-provider=external', '--allocate-node-cidrs=true'],
  migrationFile: null,
} as const;

export function ended(pid: number, second: number, seenBefore = 0.05): MonitorLine {
  return { kind: 'ended', id: `${pid}:1`, lastSeenMs: at(second - seenBefore), atMs: at(second) };
}

export function said(pid: number, second: number, running: readonly string[]): MonitorLine {
  const atMs = at(second);
  return { kind: 'metrics', id: `${pid}:1`, fromMs: atMs, toMs: atMs, running, leads: [] };
}

/** A write by which a manager acquires or renews a Lease. */
export function held(
  lease: string,
  identity: string,
  second: number,
  changes: Partial<LeaseWrite> = {},
): LeaseWrite {
  const manager = lease === CCM_LEASE || identity.includes('ccm') ? 'cloud' : 'kube';
  const node = identity.split('_')[0] ?? '';
  return {
    ...{ lease, holder: identity, fromMs: at(second), toMs: at(second) },
    user: `system:${manager}-controller-manager`,
    address: ADDRESSES[node] ?? '',
    ...changes,
  };
}

export const heldByKcm = (identity: string, second: number): LeaseWrite =>
  held(KCM_LEASE, identity, second);
export const heldByCcm = (identity: string, second: number): LeaseWrite =>
  held(CCM_LEASE, identity, second);

/** A write as an operator's tool empties a Lease. */
export function emptied(lease: string, second: number): LeaseWrite {
  return held(lease, '', second, { user: 'kubernetes-admin', address: '198.18.16.1' });
}

export function called(
  component: string,
  op: string,
  second: number,
  node = 'cp-1',
): CloudJournalLine {
  return {
    ...{ index: 0, cluster: 'lab-1', node, component, process: 'a1', pid: 1, version: 'v1.30.14' },
    ...{ op, args: {}, sentMs: at(second), startMs: at(second), endMs: at(second) },
    ...{ outcome: 'done', reason: '', changed: true },
  };
}

export interface Story {
  readonly writes?: readonly LeaseWrite[];
  readonly monitor?: readonly MonitorLine[];
  readonly journal?: readonly CloudJournalLine[];
  /** How far the process monitor has observed. */
  readonly until: number;
}

export function truthOf(story: Story): ClusterTruth {
  const { writes = [], monitor = [], journal = [], until } = story;
  const hosts = new Map(
    Object.entries(ADDRESSES).map(([node, address]) => [address, { node, hostname: node }]),
  );
  const evidence: Evidence = {
    ...{ cluster: 'lab-1', leaseWrites: writes, journal, hosts },
    monitor: [...monitor, { kind: 'observing', atMs: at(until) }],
  };
  return clusterTruth(evidence);
}
