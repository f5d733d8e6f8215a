/** What a Status is about (apimachinery's metav1.StatusDetails). */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly {
    readonly reason: string;
    readonly message: string;
    readonly field?: string;
  }[];
}

/** Why a request is not done, before it is written as a Status. */
export interface ApiRefusal {
  readonly ok: false;
  readonly code: 400 | 403 | 404 | 409 | 422 | 429 | 500 | 503;
  /** Status reason, for example `NotFound`, `AlreadyExists`, `Conflict`, `Forbidden`; empty for a plain error of Go. */
  readonly reason: string;
  readonly message: string;
  /** What the Status says it is about, where that is not simply the resource that was asked for. */
  readonly details?: StatusDetails;
}
