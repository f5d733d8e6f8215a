import { elect, electionMoves } from '../../domain/model/elections.js';
import { clusterOwner } from '../../domain/ownership/owners.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Owner } from '../../domain/vocabulary.js';
import { stateKey } from './state-key.js';

/** The states that elections alone can reach, whichever process wins them. */
export class Outcomes {
  private readonly policy: MigrationPolicy;
  private readonly known = new Map<string, ReadonlySet<Owner>>();

  constructor(policy: MigrationPolicy) {
    this.policy = policy;
  }

  owner(observation: ClusterObservation): Owner {
    return clusterOwner(observation, this.policy.lock.controllers);
  }

  /** Every owner that some order of elections ends with. */
  of(observation: ClusterObservation): ReadonlySet<Owner> {
    const key = stateKey(observation);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const moves = electionMoves(observation);
    const owners =
      moves.length === 0
        ? new Set([this.owner(observation)])
        : new Set(moves.flatMap((move) => [...this.of(elect(observation, move))]));
    this.known.set(key, owners);
    return owners;
  }
}
