import type { ManifestState } from '../../domain/observation.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { ManifestReader } from './manifest-reader.js';
import type { SlotFiles } from './readings.js';

/** Whether the CCM's DaemonSet places a pod on this node, and with what; null where no such workload is. */
export type WorkloadPlace =
  { readonly kind: 'notHere' } | { readonly kind: 'here'; readonly state: ManifestState };

/** Evidence about one manager's slot on one node. */
export interface SlotEvidence {
  readonly manager: Manager;
  readonly files: SlotFiles;
  readonly workload: WorkloadPlace;
  /** Whether a process of that manager runs on the host. */
  readonly runs: boolean;
}

/**
 * State of a manager's manifest from the file layout: in place wins; `next` without a manifest is an interrupted change;
 * `parked` was removed on purpose. A process that none of these starts makes the slot unknown: something that we cannot stop
 * would start it again.
 */
export function manifestState(evidence: SlotEvidence, reader: ManifestReader): ManifestState {
  const { manifest, next, parked } = evidence.files;
  const unreadable = [manifest, next, parked].find(({ kind }) => kind === 'unreadable');
  if (unreadable?.kind === 'unreadable') return { state: 'unknown', why: unreadable.why };
  if (manifest.kind === 'text') {
    return reader.read(evidence.manager, manifest.text, (config) => ({
      state: 'present',
      source: 'staticPod',
      hash: manifest.hash,
      config,
    }));
  }
  if (next.kind === 'text') {
    return reader.read(evidence.manager, next.text, (successor) => ({
      state: 'interrupted',
      successorHash: next.hash,
      successor,
    }));
  }
  if (evidence.workload.kind === 'here') return evidence.workload.state;
  if (parked.kind === 'text') {
    return reader.read(evidence.manager, parked.text, (config) => ({
      state: 'parked',
      hash: parked.hash,
      config,
    }));
  }
  if (!evidence.runs) return { state: 'absent' };
  return {
    state: 'unknown',
    why: `a ${evidence.manager} process runs, and neither a static pod manifest nor a known workload starts it. \`systemctl status PID\` on the node names its unit, \`systemctl disable --now UNIT\` stops it`,
  };
}
