import type { FindingCode } from '../findings/catalogue.js';
import { makeFinding } from '../findings/catalogue.js';
import type { Finding } from '../findings/finding.js';
import type { MigrationPolicy } from '../policy.js';
import { type FieldProblem, problemLine } from '../yaml/tree.js';
import type { ManagerManifest } from './manifest.js';
import { readManagerManifest } from './manifest.js';

/** What a manager needs on its node, or in the cluster, to run as wanted. */
export type Rendering = Rendered<string> | Rendered<null> | Impossible;

/** A rendering of a manager that will run. */
export type ManagerRendering = Rendered<string> | Impossible;

interface Rendered<Manifest> {
  readonly kind: 'rendered';
  /** Manifest text; null when there must be none. */
  readonly manifest: Manifest;
  /** Absolute path → content; must exist before the manifest. */
  readonly files: Readonly<Record<string, string>>;
  /** For a DaemonSet: the Leader Migration file as a ConfigMap; must exist before the workload. */
  readonly configMap: LeaderMigrationConfigMap | null;
}

export interface Impossible {
  readonly kind: 'impossible';
  readonly finding: Finding;
}

export interface LeaderMigrationConfigMap {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly data: Readonly<Record<string, string>>;
  /** Named by content: it is never changed, only replaced. */
  readonly immutable: true;
}

/** Input of every rendering. */
export interface RenderSource {
  /** Current manifest of this manager on this node (in place, parked or interrupted); null when there is none. */
  readonly current: string | null;
  /** KCM manifest from before the first step; null when none was recorded. */
  readonly baseline: string | null;
  readonly policy: MigrationPolicy;
  readonly materials: { readonly ccmManifest: string };
}

export const NOTHING: Rendering = { kind: 'rendered', manifest: null, files: {}, configMap: null };

export function impossible(code: FindingCode, subject: string, seen: string): Impossible {
  return { kind: 'impossible', finding: makeFinding(code, { subject, seen }) };
}

export type Reading = {
  readonly kind: 'read';
  readonly text: string;
  readonly manifest: ManagerManifest;
};

/** Reads a manifest that a rendering starts from; unreadable input fails instead of being guessed. */
export function reading(text: string, subject: string): Reading | Impossible {
  const result = readManagerManifest(text);
  return result.kind === 'read'
    ? { kind: 'read', text, manifest: result.manifest }
    : unusable(subject, result.problems);
}

/** A manifest that cannot be read, or not any more once it is edited. */
export function unusable(subject: string, problems: readonly FieldProblem[]): Impossible {
  return impossible('CCM2015', subject, problems.map(problemLine).join('; '));
}
