/** What a manager's manifest says, as far as this migration reads it. */
export interface ManagerManifest extends ManagerContainer {
  readonly kind: 'Pod' | 'DaemonSet' | 'Deployment';
  readonly name: string;
  readonly namespace: string;
  /** Labels of the pod. */
  readonly labels: Readonly<Record<string, string>>;
  readonly volumes: readonly VolumeSource[];
  readonly hostNetwork: boolean;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly serviceAccountName: string;
  /** Of a DaemonSet; empty when unset. */
  readonly updateStrategy: string;
}

/** The one container that runs the manager. */
export interface ManagerContainer {
  readonly container: string;
  /** Index in `containers`. */
  readonly containerIndex: number;
  readonly image: string;
  /** `command` and `args` without the program, references to literal environment variables filled in. */
  readonly arguments: readonly string[];
  readonly mounts: readonly VolumeMount[];
  readonly env: Readonly<Record<string, string>>;
}

export interface VolumeMount {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
}

export type VolumeSource =
  | { readonly kind: 'hostPath'; readonly name: string; readonly path: string }
  | { readonly kind: 'configMap'; readonly name: string; readonly configMap: string }
  | { readonly kind: 'other'; readonly name: string };

export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}
