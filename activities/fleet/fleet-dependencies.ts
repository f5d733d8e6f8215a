import type { ActivityClock, ActivityScope, Authority } from '../dependencies.js';
import type { RunDirectory } from './run-directory.js';

/** Everything the activities of fleets need from outside. */
export interface FleetDependencies {
  readonly directory: RunDirectory;
  readonly clock: ActivityClock;
  /** Called once at the start of each activity. */
  readonly scope: () => ActivityScope;
  /** Who may do what; absent where this worker has no access policy. */
  readonly authority?: Pick<Authority, 'policy'>;
}
