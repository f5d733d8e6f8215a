import type { ApiRequester } from '../auth/requester.js';

/** A request to one cluster, after authentication; `path` starts after `/clusters/<id>`. */
export interface ClusterRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Empty when the client accepts anything. */
  readonly accept: string;
  readonly userAgent: string;
  /** Raw text; empty when the request has no body. */
  readonly body: string;
  readonly requester: ApiRequester;
}

/** Where a watch writes its lines. `end` closes the response cleanly. */
export interface WatchSink {
  send(line: unknown): void;
  end(): void;
}

export interface JsonAnswer {
  readonly kind: 'json';
  readonly code: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer {
  readonly kind: 'text';
  readonly code: number;
  readonly text: string;
}

export interface WatchAnswer {
  readonly kind: 'watch';
  readonly code: 200;
  /** Starts writing; the returned function stops it once the client has disconnected. */
  readonly open: (sink: WatchSink) => () => void;
}

export type ServedAnswer = JsonAnswer | TextAnswer | WatchAnswer;

/** Summary of a request for the journal and for faults; verbs are those of Kubernetes' RequestInfo. */
export interface RequestSummary {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  /** Whether it changes something when it succeeds. Reviews and dry runs do not. */
  readonly mutating: boolean;
}
