/**
 * What real managers and kubelets do, one sentence for each finding. The simulator shows it (test/simulator), this project
 * answers to it (test/proven), and the lab lets real binaries show it (test/lab/truth): one claim, two worlds.
 * Where each was seen, with figures, is in docs/truth.md.
 */
const CLAIMS = {
  P1: 'the official guide on 1.30 protects nothing: both managers run everything and call for the same Service',
  P2: 'Leader Migration without a file runs service and routes twice on 1.30',
  P3: 'canonical names protect: one side runs all three, the other cloud-node alone; then the reverse',
  P4: 'an unquoted * ends the process, again and again',
  P5: 'without the grant a KCM keeps its main lock and runs no cloud controller, and healthz is ok',
  P6: 'the guide’s patch of the Role is enough for a KCM and replaces its rules; for a CCM there is no such Role',
  P7: 'external KCMs with Leader Migration left on hold the lock and run nothing',
  P8: 'the identity is hostname_uuid and the same on both locks',
  P9: 'a CCM that comes before the KCM has retried takes the migration Lease',
  P10: 'a Service with a load balancer waits for its finalizer while nobody runs the service controller',
  P11: 'from KCM 1.29.15 to external KCM and CCM 1.30.14 beside API servers 1.30.14',
  P12: 'an edit in place starts the successor late, taking away first starts it soon',
  P13: 'a paused holder that wakes goes on as a second owner for ten seconds',
  P14: 'a KCM without Leader Migration runs everything while the migration Lease names the dead',
  P15: 'pod objects prove nothing: a deleted mirror pod returns, a restarted one keeps its UID',
  P16: 'a live holder’s emptied Lease: where the CCM wins it, two owners for ten seconds',
  P17: 'both Leases released at once: a standby external KCM with Leader Migration may retake the lock; migration first: never',
  P18: 'a CCM that is forbidden the migration Lease looks like one that stands by',
  P19: 'Leader Migration switched on again without the grant: main lock held, nothing runs',
  P20: 'a configuration file edited under a running process changes nothing until it restarts',
  P21: 'without the token controller a KCM never tries the migration lock',
  P22: 'enabling in place with mixed KCMs: no overlap, whichever way the main lock passes',
  F1: 'a manager that loses a lock exits',
  F2: 'a single file mounted into a manager keeps its old content until the container starts anew',
  F3: '--leader-elect-retry-period is how often a holder renews',
  F4: '/configz shows the Leader Migration that is in force, with its names',
  F5: 'node IPAM in the migration set runs under the migration lock, and with a CCM that has none not at all',
  F6: 'an API server that starts anew adds what its bootstrap Roles lack and leaves the rest',
  F7: 'names of controllers are read as each binary registers them: short up to 1.27, long from 1.28',
} as const;

export type ClaimId = keyof typeof CLAIMS;

/** Name of every test that shows the claim. */
export function claim(id: ClaimId): string {
  return `${id} ${CLAIMS[id]}`;
}
