/** Who asks, as authentication told. */
export interface ApiRequester {
  readonly user: string;
  readonly groups: readonly string[];
}
