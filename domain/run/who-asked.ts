/** Who asked for something, and why. */
export interface Requester {
  readonly actor: string;
  readonly reason: string;
}
