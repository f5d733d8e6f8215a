/** One alert, whichever sender formed it. All texts are untrusted. */
export interface Alert {
  /** The sender's name for it: the same for every notification of one alert. */
  readonly fingerprint: string;
  readonly status: 'firing' | 'resolved';
  /** Epoch ms. */
  readonly startsAtMs: number;
  /** Epoch ms; null while it fires. */
  readonly endsAtMs: number | null;
  readonly labels: Labels;
  /** What it asks for, as written; null for the default. */
  readonly verb: string | null;
  readonly summary: string;
}

export type Labels = Readonly<Record<string, string>>;

/** What one request brings. */
export interface AlertGroup {
  /** Empty where the format has none. */
  readonly groupKey: string;
  /** How many alerts the sender left out. */
  readonly truncated: number;
  readonly groupLabels: Labels;
  readonly alerts: readonly Alert[];
}

/** The label, or annotation, by which an alert asks for something other than a pause. */
export const VERB_LABEL = 'ccm_migrate';
