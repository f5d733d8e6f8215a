import type { CloudController, LeaseRef, Phase } from './vocabulary.js';
import type { LeaseTimings } from './observation/observation.js';

/**
 * The operator's request, validated, normalised and frozen: all defaults are written out here, none are left to code.
 */
export interface MigrationPolicy {
  readonly strategy: StrategyName;
  /** How control-plane nodes change: `replace` requests machines, `inPlace` edits the node. */
  readonly nodes: { readonly forward: NodeChange; readonly rollback: NodeChange };
  /** The migration lock that every participating process must name. */
  readonly lock: LeaseRef & { readonly controllers: readonly CloudController[] };
  readonly source: NodeTemplate;
  readonly target: NodeTemplate;
  readonly ccm: CcmPolicy;
  /** `provided`: an administrator has applied the access of KCM and CCM, and runs write no RBAC object. Absent: they create and remove it. */
  readonly clusterAccess?: 'provided';
  readonly kcmTimings: LeaseTimings;
  readonly etcdMemberRemoval: 'machinesApi' | 'us';
  /** Automatic repair and scaling of the source machines: only the operator can state that it is frozen. */
  readonly autoRepair: 'frozen' | 'unknown';
  readonly rollWorkers: { readonly enabled: boolean; readonly batchSize: number };
  readonly disableLeaderMigration: 'never' | 'afterSoak';
  /** What a completed rollback leaves on the KCMs. */
  readonly leaderMigrationAfterRollback: 'keep' | 'off';
  readonly soakSeconds: number;
  /** Longest time without any owner before the guard reports a breach. */
  readonly orphanBudgetMs: number;
  /** What a failed gate or a breach causes; runs that an older build began carry only words. */
  readonly onBreach: BreachRule;
  /** Where another rule holds in a phase; absent where none does. */
  readonly onBreachByPhase?: Readonly<Partial<Record<Phase, BreachRule>>>;
  /**
   * What happens to a manager that a signal has stopped while its locks go to another one: the run holds, or a step ends the
   * process, so that it cannot wake as a second owner. Absent in runs that an older build began: hold.
   */
  readonly staleHolder?: 'hold' | 'kill';
  /** Whether a person must approve before the first step that takes cloud loops away from the source side. */
  readonly handoverApproval: 'required' | 'notRequired';
  /** What alerts may cause through `ccm-migrate server`; absent in runs that an older build began. */
  readonly automation?: AutomationPolicy;
  /** How gates on metrics are judged; absent in runs that an older build began, which judge none. */
  readonly metricGates?: MetricGatePolicy;
  /** What runs try out on the cluster; absent where nothing is. */
  readonly probes?: ProbePolicy;
  /** Findings waived for this run, each bound to the observation it was found in. */
  readonly waivers: readonly Waiver[];
}

/**
 * What a measured failure causes: a hold for an operator, a change of target to `kcm` at the safe point, or the first and, unless a
 * person decides or it heals, after so many ms the second.
 */
export type BreachRule = 'hold' | 'rollBack' | { readonly holdThenRollBackMs: number };

/** What a run tries out before its first change, and once its target is reached. */
export interface ProbePolicy {
  readonly balancer: BalancerProbe;
}

/** A Service of type LoadBalancer in a namespace of its own, which is made, changed and deleted. */
export interface BalancerProbe {
  /** For example the cloud's own for an internal load balancer. */
  readonly annotations: Readonly<Record<string, string>>;
  /** How long each of its effects may take: an address, a changed port, its deletion. */
  readonly withinMs: number;
}

/** How gates on metrics are judged. Durations in ms, ratios from 0 to 1. */
export interface MetricGatePolicy {
  /** Whose pages the gates of the catalogue are read from; `off` judges none of them. */
  readonly catalogue: 'nodes' | 'off';
  /** Whether Services, Nodes and Events are read for gates on objects; `off` where a policy of an older build says nothing. */
  readonly objects?: 'watch' | 'off';
  /** Names of gates that are left out. */
  readonly except: readonly string[];
  /** How far apart samples are. */
  readonly everyMs: number;
  /** A gate that was last measured longer ago is unmeasured, which holds writes and soaks. */
  readonly unmeasuredMs: number;
  /** Whether too few events to say anything are noted, or hold. */
  readonly quiet: 'note' | 'hold';
  /** How probable it may be that a whole run in which nothing is wrong fails. */
  readonly falseAlarms: number;
  /** The ratio of bad events may be so many times the usual one. */
  readonly tolerance: number;
  /** The operator's own gates, judged on a Prometheus; absent where there are none. */
  readonly own?: readonly OwnGate[];
}

/** A gate that an operator defines, judged on the cluster's Prometheus. */
export type OwnGate = OwnGauge | OwnCountGate;

/** The one value of an expression, within a limit. */
export interface OwnGauge {
  readonly name: string;
  readonly kind: 'gauge';
  /** Results in one series for each cluster, which keeps the labels that tell clusters apart. */
  readonly promql: string;
  readonly limit: OwnLimit;
}

/** Counted events, each of which was bad or was not. */
export type OwnCountGate = OwnRatio | OwnQuantile;

/** Bad events of all events. */
export interface OwnRatio {
  readonly name: string;
  readonly kind: 'ratio';
  /** Selectors of counters: a name, and labels. */
  readonly bad: string;
  readonly total: string;
  /** The most that is good, as a share of events. */
  readonly limit: number;
}

/** Events of a histogram: the given share of them must not be above the limit. */
export interface OwnQuantile {
  readonly name: string;
  readonly kind: 'quantile';
  /** Selector of a classic histogram, without `_bucket`. */
  readonly histogram: string;
  /** From 0 to 1. */
  readonly quantile: number;
  /** Edge of a bucket, in the unit of the metric. */
  readonly limit: number;
}

/** The side of a number on which values are bad; the number itself is good. */
export type OwnLimit = { readonly above: number } | { readonly below: number };

/** What automation may do to a run besides what its token allows. */
export interface AutomationPolicy {
  readonly pause: 'allowed' | 'refused';
  readonly rollBack: 'allowed' | 'refused';
}

/** Where a policy states nothing: a brake is always there, and a turn needs a word. */
export const UNSTATED_AUTOMATION: AutomationPolicy = { pause: 'allowed', rollBack: 'refused' };

/** All waits of a run, in milliseconds, so that tests and slow clouds set their own. */
export interface RunTimings {
  /** Deadline of one API or node request. */
  readonly requestMs: number;
  /** How long a step waits for its effect before it fails `EffectNotSeen`. */
  readonly effectMs: number;
  /** How long an election may take before a step fails `EffectNotSeen`. */
  readonly electionMs: number;
  /** Poll interval while an effect is awaited. */
  readonly pollMs: number;
  /** Fence renewal while mutations may happen / in soaks and holds. */
  readonly fenceRenewMs: number;
  readonly fenceRenewIdleMs: number;
  /** How often the guard observes while mutations may happen / in soaks, holds and pauses. */
  readonly guardMs: number;
  readonly guardIdleMs: number;
  /** How long a step waits for the guard to open the fence before it fails `Unguarded`. */
  readonly guardWaitMs: number;
  /** How long the run lets changes in progress settle. */
  readonly settleMs: number;
  /** One wait of `awaitChange`. */
  readonly awaitChangeMs: number;
  readonly stepTimeoutMs: number;
  readonly heartbeatMs: number;
}

export type StrategyName = 'leaderMigration' | 'gap';
export type NodeChange = 'replace' | 'inPlace';

/** What a control-plane node of one side runs. Manifests are kept by digest; their text lives with the plan. */
export interface NodeTemplate {
  /** Kubernetes version of the managers, without `v`. */
  readonly version: string;
  /** Image of the kube-controller-manager. */
  readonly kcmImage: string;
  /** In-tree provider name for `source`; always `external` for `target`. */
  readonly cloudProvider: string;
}

export interface CcmPolicy {
  readonly image: string;
  /** Version of its k8s.io/cloud-provider library, without `v`: decides the controller names it registers. */
  readonly version: string;
  readonly deployAs: 'staticPod' | 'daemonSet';
  /** Whether this build honours Leader Migration (Azure's accepts the flags and ignores them). */
  readonly leaderMigration: 'implemented' | 'absent';
  readonly timings: LeaseTimings;
  /** What this CCM needs from the API server beyond the needs of every CCM and of its provider. */
  readonly accessRules: readonly CcmRule[];
}

/** A right of the CCM, for a Role in `namespace` or the ClusterRole. */
export interface CcmRule {
  /** Null for the whole cluster. */
  readonly namespace: string | null;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty for all. */
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

export interface Waiver {
  readonly code: string;
  readonly observationDigest: string;
  readonly actor: string;
  readonly reason: string;
}

/** A soft gate that a person has skipped, for one direction of a run. */
export interface WaivedGate {
  readonly gate: string;
  /** Only this finding of it: a gate skipped because it could not be measured still holds when it fails. */
  readonly code: string;
  readonly actor: string;
  readonly reason: string;
}

/** What names a waived gate. */
export type WaivedKey = Pick<WaivedGate, 'gate' | 'code'>;

/** How a server with the HTTP API of Prometheus is reached, and which of its series belong to a cluster. */
export interface PrometheusSettings {
  /** Base address, with the path of a proxy where there is one. */
  readonly url: string;
  /** Authorities that its certificate is verified against, as a file that may change; null for those of the system. */
  readonly caFile: string | null;
  /** File with the bearer token, re-read for each query; null without one. */
  readonly tokenFile: string | null;
  /** Labels that all series of the cluster have, and no others. */
  readonly match: Readonly<Record<string, string>>;
  /** A scrape that is older says nothing about now. */
  readonly staleAfterMs: number;
}
