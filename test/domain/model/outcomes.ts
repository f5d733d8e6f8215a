import { elect, electionMoves } from '../../../domain/apply/elections.js';
import { clusterOwner } from '../../../domain/facts/owners.js';
import type { ClusterObservation } from '../../../domain/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { stateKey } from './state-key.js';

/** Where elections alone can lead from a state, whoever wins them. */
export class Outcomes {
  private readonly policy: MigrationPolicy;
  private readonly known = new Map<string, boolean>();

  constructor(policy: MigrationPolicy) {
    this.policy = policy;
  }

  owned(observation: ClusterObservation): boolean {
    return clusterOwner(observation, this.policy.lock.controllers) !== 'none';
  }

  /** Whether some order of elections ends with nobody to run the cloud controllers. */
  mayEndWithoutOwner(observation: ClusterObservation): boolean {
    const key = stateKey(observation);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const moves = electionMoves(observation);
    const ends =
      moves.length === 0
        ? !this.owned(observation)
        : moves.some((move) => this.mayEndWithoutOwner(elect(observation, move)));
    this.known.set(key, ends);
    return ends;
  }
}
