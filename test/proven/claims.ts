/**
 * What real managers and kubelets do, one sentence per finding. The simulator reproduces each (test/simulator), this project's response is
 * tested in test/proven, and the lab shows it on real binaries (test/testbed/lab/truth): one claim, two test environments. docs/truth.md records
 * where each was observed, with figures.
 */
const CLAIMS = {
  P1: 'the official guide on 1.30 protects nothing: both managers run everything and call the cloud for the same Service',
  P2: 'Leader Migration without a file runs service and routes twice on 1.30',
  P3: 'canonical names protect: one side runs all three, the other cloud-node alone; then the reverse',
  P4: 'an unquoted * makes the process exit on every start',
  P5: 'without the grant a KCM keeps its main lock and runs no cloud controller, yet healthz reports ok',
  P6: 'the guide’s patch of the Role is enough for a KCM and replaces its rules; for a CCM there is no such Role',
  P7: 'external KCMs with Leader Migration left on hold the migration lock and run no cloud controller',
  P8: 'the identity is hostname_uuid and the same on both locks',
  P9: 'a CCM that comes before the KCM has retried takes the migration Lease',
  P10: 'a deleted Service with a load balancer keeps its finalizer while no process runs the service controller',
  P11: 'KCMs 1.29.15 hand over to external KCMs and CCMs 1.30.14 beside API servers 1.30.14',
  P12: 'an edit in place starts the successor late, removing the manifest first starts it soon',
  P13: 'a paused holder that wakes continues as a second owner for ten seconds',
  P14: 'a KCM without Leader Migration runs everything while the migration Lease names a dead holder',
  P15: 'pod objects prove nothing: a deleted mirror pod returns, a restarted one keeps its UID',
  P16: 'where a CCM wins the emptied Lease of a live holder, there are two owners for ten seconds',
  P17: 'releasing both Leases at once may let a standby external KCM with Leader Migration retake the lock, releasing the migration Lease first never does',
  P18: 'a CCM that is forbidden the migration Lease looks like one on standby',
  P19: 'with Leader Migration re-enabled but not granted, a KCM holds its main lock and runs nothing',
  P20: 'a configuration file edited under a running process changes nothing until it restarts',
  P21: 'without the token controller a KCM never tries the migration lock',
  P22: 'enabling Leader Migration in place with mixed KCMs makes no overlap, whichever KCM takes the main lock',
  F1: 'a manager that loses a lock exits',
  F2: 'a single file mounted into a manager keeps its old content until the container restarts',
  F3: 'a holder renews once per --leader-elect-retry-period',
  F4: '/configz shows the Leader Migration that is in force, with its names',
  F5: 'node IPAM in the migration set runs under the migration lock, and not at all if the CCM does not implement it',
  F6: 'a restarted API server adds the rules that its bootstrap Roles lack and leaves the rest',
  F7: 'each binary accepts only the controller names that it registers, short up to 1.27 and long from 1.28',
} as const;

export type ClaimId = keyof typeof CLAIMS;

export function isClaimId(text: string): text is ClaimId {
  return Object.hasOwn(CLAIMS, text);
}

/** The title of a test that shows the claim; claims.test.ts compares titles that are written out. */
export function claim(id: ClaimId): string {
  return `${id} ${CLAIMS[id]}`;
}
