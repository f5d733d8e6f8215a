import { COMPONENTS } from '../managers/controller-names.js';
import type { Finding } from '../findings/finding.js';
import type { FindingCode, Seen } from '../findings/catalogue.js';
import { makeFinding } from '../findings/catalogue.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerConfig,
} from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { Manager } from '../vocabulary.js';
import { MANAGERS } from '../vocabulary.js';

/**
 * What an observation of the managers does not show and a preflight may have queried in addition. Left out means not queried:
 * the check then reports nothing.
 */
export interface PreflightExtra {
  /** The CCM's manifest or workload as provided by the operator. */
  readonly ccmManifest?: string;
  /** Manifest of the KCM by node, in place or parked. */
  readonly kcmManifests?: Readonly<Record<string, string>>;
  /** Rights that the CCM's identity lacks, for example `delete nodes`; from SubjectAccessReviews. */
  readonly ccmDenied?: readonly string[];
  /** Arguments of the kube-apiserver, by node; a node whose API server could not be looked at is left out. */
  readonly apiServerArguments?: Readonly<Record<string, readonly string[]>>;
  /** Control-plane node through whose own address others reach the API; null where there is none. */
  readonly apiEndpointNode?: string | null;
  /** What the gates of the policy need to read and cannot; empty where they can, or where the policy judges none. */
  readonly gatesUnread?: readonly UnreadSource[];
  /** Why the Service of a probe would not be created; null where it would, or where the policy has no probe. */
  readonly probeRefused?: string | null;
  /** Built-in Kubernetes roles that carry the guide's patch. */
  readonly patchedRoles?: readonly string[];
  /** Descriptions of what could not be inspected; empty when everything was. */
  readonly notChecked?: readonly string[];
}

/** What gates could not read, where, and why. */
export interface UnreadSource {
  /** `pages`: the metrics of one manager. `objects`: Services, Nodes and Events. `own`: one of the operator's own gates. `cloud`: its list. */
  readonly source: 'pages' | 'objects' | 'own' | 'cloud';
  /** For example `kcm on cp-1`; the name of an own gate. */
  readonly place: string;
  readonly why: string;
}

export interface PreflightInput {
  readonly observation: ClusterObservation;
  readonly policy: MigrationPolicy;
  readonly extra: PreflightExtra;
  /** Settings in effect or about to take effect, each once. */
  readonly managers: readonly PlacedConfig[];
}

export interface PlacedConfig {
  readonly node: ControlPlaneNode;
  readonly manager: Manager;
  readonly config: ManagerConfig;
  /** `node cp-1 kube-controller-manager`. */
  readonly subject: string;
}

/** One named check; its name is what tests and people call it. */
export interface Check {
  readonly name: string;
  readonly codes: readonly FindingCode[];
  /**
   * Whether what it judges was inspected; left out where every observation covers it. Otherwise an empty result proves
   * nothing.
   */
  readonly isSeen?: (input: PreflightInput) => boolean;
  readonly inspect: (input: PreflightInput) => readonly Finding[];
}

export function found(code: FindingCode, seen: Seen): readonly Finding[] {
  return [makeFinding(code, seen)];
}

export const NO_FINDINGS: readonly Finding[] = [];

/** The finding about this subject; none where nothing wrong is seen. */
export function foundAt(
  code: FindingCode,
  subject: string,
  seen: string | null,
): readonly Finding[] {
  return seen === null ? NO_FINDINGS : found(code, { subject, seen });
}

type Fault<Subject> = (subject: Subject, input: PreflightInput) => string | null;

/** A check of one subject. */
export function checkOf(
  name: string,
  code: FindingCode,
  subject: string,
  fault: (input: PreflightInput) => string | null,
): Check {
  return { name, codes: [code], inspect: (input) => foundAt(code, subject, fault(input)) };
}

/** A check of every control-plane node. */
export function checkNodes(name: string, code: FindingCode, fault: Fault<ControlPlaneNode>): Check {
  const inspect = (input: PreflightInput): readonly Finding[] =>
    input.observation.nodes.flatMap((node) =>
      foundAt(code, `node ${node.name}`, fault(node, input)),
    );
  return { name, codes: [code], inspect };
}

/** A check of every manager that it concerns. */
export function checkManagers(
  name: string,
  code: FindingCode,
  concerned: (input: PreflightInput) => readonly PlacedConfig[],
  fault: Fault<ManagerConfig>,
): Check {
  const inspect = (input: PreflightInput): readonly Finding[] =>
    forEach(concerned(input), code, (config) => fault(config, input));
  return { name, codes: [code], inspect };
}

/** Manifests in place and running processes; equal settings of one node count once. */
export function placedConfigs({ nodes }: ClusterObservation): readonly PlacedConfig[] {
  return nodes.flatMap((node) =>
    MANAGERS.flatMap((manager) => {
      const { manifest, processes } = node[manager];
      const configs = processes.map(({ config }) => config);
      if (manifest.state === 'present') configs.push(manifest.config);
      const distinct = new Map(configs.map((config) => [JSON.stringify(config), config]));
      const subject = `node ${node.name} ${COMPONENTS[manager]}`;
      return [...distinct.values()].map((config) => ({ node, manager, config, subject }));
    }),
  );
}

/** A finding for each manager that fails. */
export function forEach(
  managers: readonly PlacedConfig[],
  code: FindingCode,
  fault: (config: ManagerConfig) => string | null,
): readonly Finding[] {
  return managers.flatMap(({ config, subject }) => foundAt(code, subject, fault(config)));
}

export function everyManager({ managers }: PreflightInput): readonly PlacedConfig[] {
  return managers;
}

export function inTreeKcms({ managers }: PreflightInput): readonly PlacedConfig[] {
  return managers.filter(isInTree);
}

export function isInTree({ manager, config }: PlacedConfig): boolean {
  return manager === 'kcm' && config.cloudLoops;
}

/** The KCM whose settings the CCM must share: one that runs the cloud controllers now, or the recorded one. */
export function referenceKcm({ managers, observation }: PreflightInput): ManagerConfig | null {
  return managers.find(isInTree)?.config ?? observation.baseline?.kcm ?? null;
}
