/** Who asks, as authentication told. */
export interface Requester {
  readonly user: string;
  readonly groups: readonly string[];
}
