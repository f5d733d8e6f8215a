import { digestText } from '../../domain/digest.js';
import { redactedDiff } from '../../domain/yaml/redacted-diff.js';

/** One file or object that a step changes. */
export interface PlannedChange {
  /** For example `cp-1:/etc/kubernetes/manifests/kube-controller-manager.yaml` or `Role kube-system/…`. */
  readonly subject: string;
  readonly action: 'create' | 'update' | 'delete';
  /** Unified diff; empty where the current text is not known. */
  readonly diff: string;
  /** `sha256:<hex>` of a file's content afterwards, as in the run's evidence; empty when there is none. */
  readonly after: string;
}

/** Texts of files and objects at one point of a plan: each step is diffed against the result of the one before. */
export interface WorkingCopies {
  read(subject: string): string | null;
  /** The change from the current text; null when there is none. `shownAs` replaces a text that is no plain document. */
  put(subject: string, text: string | null, shownAs?: string): PlannedChange | null;
}

export function createWorkingCopies(now: ReadonlyMap<string, string>): WorkingCopies {
  const texts = new Map(now);
  return {
    read: (subject) => texts.get(subject) ?? null,
    put: (subject, text, shownAs) => {
      const before = texts.get(subject) ?? null;
      if (before === text) return null;
      if (text === null) texts.delete(subject);
      else texts.set(subject, text);
      const action = before === null ? 'create' : text === null ? 'delete' : 'update';
      const after = text === null ? '' : digestText(text);
      return { subject, action, diff: redactedDiff({ before, after: shownAs ?? text }), after };
    },
  };
}

export function fileOn(node: string, path: string): string {
  return `${node}:${path}`;
}

export function objectNamed(kind: string, namespace: string | undefined, name: string): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
