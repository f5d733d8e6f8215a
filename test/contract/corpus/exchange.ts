/** JSON, as requests and responses carry it. */
export type Json = ReturnType<typeof JSON.parse>;

/** What was sent: `as` is the user, `path` is relative to the cluster's base address. */
export interface SentRequest {
  readonly as: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Empty when nothing was sent. */
  readonly contentType: string;
  readonly accept: string;
  /** Parsed where it is JSON; null when it was empty. */
  readonly body: Json;
}

/** What was received; the lines of a watch are a list in `events`. */
export interface SeenAnswer {
  readonly status: number;
  /** Those that the product or its tools read. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly events?: readonly Json[];
}

export interface Exchange {
  readonly request: SentRequest;
  readonly answer: SeenAnswer;
}

/** One call of the product, or one request by hand: what it sent, what it received, and the product's result. */
export interface RecordedCall {
  readonly call: string;
  readonly exchanges: readonly Exchange[];
  readonly outcome: Json;
}

/** A scenario as it ran on one API server. */
export interface Recording {
  readonly scenario: string;
  readonly about: string;
  /** Version of the API server, as `/version` reports it. */
  readonly version: string;
  readonly calls: readonly RecordedCall[];
}

export interface User {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Has every right through the group that no role can take rights from. */
export const ADMIN: User = { user: 'corpus-admin', groups: ['system:masters'] };

/** An API server that scenarios run against: the simulator's or a real one. */
export interface ApiServerUnderTest {
  /** Text of a kubeconfig with everything inline. */
  kubeconfigFor(user: User): string;
  /** Makes the server forget every version of its objects but the current one. */
  forgetHistory(): Promise<void>;
  close(): Promise<void>;
}
