import type { StepName } from '../../domain/decision/step.js';
import type { ClusterSpec } from '../../testbed/simulator/cluster/cluster-spec.js';
import { ccm, external, kcm, node } from '../testbed/simulator/environment.js';
import type { ClaimId } from './claims.js';

/** What both test environments can build: managers of each node, and whether the migration Lease is granted. */
export type FoundSpec = Pick<ClusterSpec, 'leaseGrant' | 'apiServerVersion' | 'hostnames'> & {
  readonly plans: NonNullable<ClusterSpec['plans']>;
};

/** A cluster in the state an operator left it, and how this project responds to it. */
export interface FoundCluster {
  readonly claim: ClaimId;
  /** Which part of the claim the row covers; empty when it covers all of it. */
  readonly about: string;
  readonly spec: FoundSpec;
  /** Managers whose processes run the service controller before the migration starts. */
  readonly found: string;
  /** Codes of the preflight errors it causes. */
  readonly says: readonly string[];
  /** The first step when the target is CCM. */
  readonly first: StepName;
}

/** Enough for managers that start at once to acquire their locks; the lab waits until they have. */
const BESIDE = { afterMs: { ccm: 8000 } };
const LATER = { afterMs: { kcm: 8000 } };
const BOTH_LATER = { afterMs: { kcm: 8000, ccm: 8000 } };

export const FOUND_CLUSTERS: readonly FoundCluster[] = [
  {
    claim: 'P1',
    about: '',
    spec: { plans: [node(kcm({ migration: 'guide' }), ccm({ migration: 'guide' }))] },
    found: 'ccm kcm',
    says: ['CCM1005', 'CCM1505'],
    first: 'stopSecondOwner',
  },
  {
    claim: 'P1',
    about: 'its names in a KCM alone',
    spec: { plans: [node(kcm({ migration: 'guide' }))], leaseGrant: false },
    found: 'kcm',
    says: ['CCM1005'],
    first: 'recordBaseline',
  },
  {
    claim: 'P2',
    about: '',
    spec: { plans: [node(kcm({ migration: 'builtIn' }), ccm({ migration: 'builtIn' }), BESIDE)] },
    found: 'ccm kcm',
    says: ['CCM1006', 'CCM1505'],
    first: 'stopSecondOwner',
  },
  {
    claim: 'P3',
    about: 'nothing to repair',
    spec: { plans: [node(kcm({ migration: 'canonical' }), ccm(), BESIDE)] },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
  {
    claim: 'P4',
    about: '',
    spec: { plans: [node(kcm({ migration: 'unquoted' }))] },
    found: '',
    says: ['CCM1008', 'CCM1505'],
    first: 'recordBaseline',
  },
  {
    claim: 'P5',
    about: '',
    spec: { plans: [node(kcm({ migration: 'canonical' }))], leaseGrant: false },
    found: '',
    says: ['CCM1505'],
    first: 'recordBaseline',
  },
  {
    claim: 'P7',
    about: '',
    spec: {
      plans: [
        node(external({ migration: 'canonical' }), ccm(), {
          kubelet: 'external',
          ...BESIDE,
        }),
      ],
    },
    found: '',
    says: ['CCM1007', 'CCM1505'],
    first: 'disableMigrationOnExternalKcm',
  },
  {
    claim: 'P8',
    about: 'hostnames that are not the Nodes’ names: identities are tied to processes all the same',
    spec: { plans: [node(kcm()), node(kcm())], hostnames: 'different' },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
  {
    claim: 'P9',
    about: 'it owns, and the KCM follows',
    spec: {
      plans: [node(kcm({ migration: 'canonical' }), ccm(), BESIDE)],
      leaseGrant: false,
    },
    found: 'ccm',
    says: [],
    first: 'recordBaseline',
  },
  {
    claim: 'P11',
    about: '',
    spec: {
      plans: [node(kcm({ version: '1.29.15' }), null, { kubeletVersion: '1.29.15' })],
      apiServerVersion: '1.30.14',
    },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
  {
    claim: 'P17',
    about: 'a standby external KCM that could retake the lock is made quiet first',
    spec: {
      plans: [
        node(kcm({ migration: 'canonical' })),
        node(external({ migration: 'canonical' }), ccm(), BOTH_LATER),
      ],
    },
    found: 'kcm',
    says: ['CCM1007'],
    first: 'disableMigrationOnExternalKcm',
  },
  {
    claim: 'P22',
    about: 'KCMs with and without Leader Migration side by side',
    spec: {
      plans: [node(kcm()), node(kcm({ migration: 'canonical' }), null, LATER)],
      leaseGrant: true,
    },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
];

/** The row of a claim; `about` selects one where the claim has several. */
export function foundCluster(claim: ClaimId, about?: string): FoundCluster {
  const rows = FOUND_CLUSTERS.filter((row) => row.claim === claim);
  const row = about === undefined ? rows[0] : rows.find((each) => each.about === about);
  if (row === undefined) throw new Error(`no cluster was found as in ${claim} ${about ?? ''}`);
  return row;
}
