import type { Manager } from '../../../domain/vocabulary.js';
import type { Cancel } from './clock.js';

export interface SimulatedFile {
  readonly content: string;
  /** Octal, for example `0600`. */
  readonly mode: string;
  /** Epoch ms on the node's clock. */
  readonly changedAtMs: number;
}

export interface FileSystem {
  read(path: string): SimulatedFile | undefined;
  /** Names (not paths) of the files directly in a folder, sorted; empty when the folder is absent. */
  list(directory: string): readonly string[];
  write(path: string, content: string, mode?: string): void;
  /** A missing file is not an error. */
  remove(path: string): void;
  onChange(listener: (path: string) => void): Cancel;
}

export interface SimulatedProcess {
  readonly pid: number;
  readonly manager: Manager;
  /** Hundredths of a second since boot. */
  readonly startTicks: number;
  readonly startedAtMs: number;
  readonly arguments: readonly string[];
  readonly paused: boolean;
}

export interface SimulatedKubelet {
  readonly pid: number;
  /** Hundredths of a second since boot. */
  readonly startTicks: number;
  readonly startedAtMs: number;
  readonly arguments: readonly string[];
}

export interface HostView {
  readonly hostname: string;
  readonly bootId: string;
  readonly bootTimeMs: number;
  readonly processes: readonly SimulatedProcess[];
  /** Empty while the kubelet is down. */
  readonly kubelets: readonly SimulatedKubelet[];
}

/** One control-plane machine, running or crashed. */
export interface SimulatedNode {
  /** The Node object's name; the OS hostname in `host()` may differ. */
  readonly name: string;
  /** False while crashed or partitioned: node access answers 503 `NodeUnreachable`. */
  readonly reachable: boolean;
  readonly files: FileSystem;
  host(): HostView;
  /** Exposition text of `/metrics` on the node's loopback; null when no such process listens (none, or paused). */
  metrics(manager: Manager): string | null;
  /** The election series alone of the same page, which every observation of a node reads; null as above. */
  elections(manager: Manager): string | null;
  /** The manager's error response while it may not create SubjectAccessReviews; null when it may. */
  metricsRefusal(manager: Manager): string | null;
  /** Body of `/configz`; null as above. */
  configz(manager: Manager): string | null;
  /** SIGKILL; false when there is no such process. */
  kill(pid: number): boolean;
  /** State of the kubelet's unit, for display. */
  kubeletState(): string;
  /** Ends the kubelet at once; a new one starts with the current content of its flags file. */
  restartKubelet(): void;
}
