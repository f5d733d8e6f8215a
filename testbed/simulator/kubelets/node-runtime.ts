import type { Launch } from '../managers/launch.js';
import type { SimulatedManager } from '../managers/simulated-manager.js';
import type { ProcessTimers } from '../managers/process-timers.js';
import type { Cancel, ChangeEvent, Draws, ObjectStore } from '../model.js';
import type { MemoryFileSystem } from '../nodes/memory-file-system.js';
import type { KubeletDelays } from './delays.js';

/** What a booted machine provides to its kubelet. */
export interface NodeRuntime {
  readonly node: string;
  readonly osHostname: string;
  readonly files: MemoryFileSystem;
  /** They end when the machine goes down. */
  readonly timers: ProcessTimers;
  readonly draws: Draws;
  readonly delays: KubeletDelays;
  readonly store: ObjectStore;
  /** False while the node is cut off from the API servers. */
  readonly connected: () => boolean;
  readonly onReconnect: (listener: () => void) => Cancel;
  /** Changes of API objects, as far as they reach this node. */
  readonly onChange: (resource: string, listener: (event: ChangeEvent) => void) => Cancel;
  readonly spawn: (
    launch: Launch,
    onExit: (code: number, reason: string) => void,
  ) => SimulatedManager;
}
