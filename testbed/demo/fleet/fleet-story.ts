/** What the demo of a fleet is about: the names in config/examples/simulated-fleet, and what befalls them. */
export const FLEET_STORY = {
  fleet: 'simulated',
  canary: 'eu-1',
  pilot: ['eu-1', 'eu-2', 'us-1'],
  main: ['eu-3', 'eu-4', 'eu-5', 'us-2', 'us-3', 'us-4'],
  last: ['eu-6', 'us-5', 'us-6'],
  /** Its API servers are older than the target of the policy. */
  refused: 'us-4',
  /** The owner of its cloud controllers is stopped by a signal while it migrates. */
  failing: 'eu-5',
  /** Cut off for a while, with all its clusters. */
  blipped: 'us',
  /** The worker that is killed is that of this region. */
  killed: 'eu',
  inFlight: 4,
  perRegion: 3,
  requester: 'ana',
  approver: 'ben',
} as const;
