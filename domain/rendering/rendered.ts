import type { ManagerManifest } from '../documents/manifest.js';
import { problemLine } from '../documents/fields.js';
import { editManagerManifest, type ManifestEdits } from '../documents/edit-manifest.js';
import { readManagerManifest } from '../documents/read-manifest.js';
import type { Finding } from '../finding.js';
import type { FindingCode } from '../findings/catalogue.js';
import { makeFinding } from '../findings/catalogue.js';
import type { MigrationPolicy } from '../policy.js';

/** What a manager needs on its node, or in the cluster, to run as wanted. */
export type Rendering = Rendered<string> | Rendered<null> | Impossible;

/** A rendering of a manager that shall run. */
export type ManagerRendering = Rendered<string> | Impossible;

interface Rendered<Manifest> {
  readonly kind: 'rendered';
  /** Manifest text; null when there shall be none. */
  readonly manifest: Manifest;
  /** Absolute path → content, to be there before the manifest. */
  readonly files: Readonly<Record<string, string>>;
  /** For a DaemonSet: the Leader Migration file as a ConfigMap, to be there before the workload. */
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
  /** Named by content: it is never changed, only replaced by another. */
  readonly immutable: true;
}

/** What every rendering starts from. */
export interface RenderSource {
  /** Manifest of this manager on this node now (in place, parked or cut off); null when there is none. */
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

/** Reads a manifest that a rendering starts from; what cannot be read is not guessed at. */
export function reading(text: string, subject: string): Reading | Impossible {
  const result = readManagerManifest(text);
  return result.kind === 'read'
    ? { kind: 'read', text, manifest: result.manifest }
    : impossible('CCM2015', subject, result.problems.map(problemLine).join('; '));
}

export function edited(base: Reading, edits: ManifestEdits, subject: string): Reading | Impossible {
  const result = editManagerManifest(base.text, edits);
  return result.kind === 'edited'
    ? { kind: 'read', text: result.text, manifest: result.manifest }
    : impossible('CCM2015', subject, result.problems.map(problemLine).join('; '));
}
