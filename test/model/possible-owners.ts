import { elect, electionMoves } from '../../domain/model/elections.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { mostOwners } from './judgements.js';
import { kubeletMoves } from './kubelet-moves.js';
import { stateKey } from './state-key.js';

/**
 * Whether some sequence of elections alone, without a step or a fault, gives a controller two owners. Meanwhile kubelets follow their
 * folders: they start what was written and end what was removed.
 */
export class PossibleOwners {
  private readonly known = new Map<string, boolean>();

  two(observation: ClusterObservation): boolean {
    const key = stateKey(observation);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const answer =
      mostOwners(observation) > 1 ||
      electionMoves(observation).some((move) => this.two(elect(observation, move))) ||
      kubeletMoves(observation).some((move) => this.two(move.observation));
    this.known.set(key, answer);
    return answer;
  }
}
