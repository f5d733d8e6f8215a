import { isLegacyProvider } from './in-tree-providers.js';

/** A feature gate that affects this migration: when it may be set, and since when no binary knows it. */
interface GateHistory {
  readonly since: number;
  /** Any value other than the locked one makes the process exit at start. */
  readonly lockedSince: number;
  readonly removedIn: number;
  readonly source: string;
}

const WEBSITE =
  'kubernetes/website content/en/docs/reference/command-line-tools-reference/feature-gates';

export const GATES = {
  /** Alpha and off in 1.21, on from 1.22. Source also: k8s.io/controller-manager pkg/features/kube_features.go v0.21 to v0.27. */
  ControllerManagerLeaderMigration: {
    since: 21,
    lockedSince: 24,
    removedIn: 27,
    source: `${WEBSITE}/ControllerManagerLeaderMigration`,
  },
  /** Off up to 1.28, on from 1.29: an in-tree provider of Kubernetes then fails after winning the lock. */
  DisableCloudProviders: {
    since: 22,
    lockedSince: 31,
    removedIn: 33,
    source: `${WEBSITE}/DisableCloudProviders; kubernetes/kubernetes#130162`,
  },
  DisableKubeletCloudCredentialProviders: {
    since: 23,
    lockedSince: 31,
    removedIn: 33,
    source: `${WEBSITE}/DisableKubeletCloudCredentialProviders`,
  },
} as const satisfies Record<string, GateHistory>;

type GateName = keyof typeof GATES;

/** First minor where DisableCloudProviders is on by default. Source: as `GATES`. */
const PROVIDERS_DISABLED_BY_DEFAULT_SINCE = 29;

/** First minor whose kube-apiserver no longer knows --cloud-provider and --cloud-config. Source: kubernetes/kubernetes#130162. */
export const APISERVER_CLOUD_FLAGS_REMOVED_IN = 33;

/** The properties of a manager that its gates depend on. */
export interface GateUse {
  readonly minor: number;
  /** Value of `--cloud-provider`. */
  readonly cloudProvider: string;
  readonly leaderMigration: boolean;
}

/** `Name=true,Other=false` of one or more `--feature-gates` arguments, as a map in order. */
export function parseGates(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').flatMap((part): [string, string][] => {
    const at = part.indexOf('=');
    const name = (at === -1 ? part : part.slice(0, at)).trim();
    const value =
      at === -1
        ? ''
        : part
            .slice(at + 1)
            .trim()
            .toLowerCase();
    return name === '' ? [] : [[name, value]];
  });
  return new Map(pairs);
}

/** Gates a manager needs; foreign ones stay unchanged. Empty text: no `--feature-gates` at all. */
export function gatesFor(text: string, use: GateUse): string {
  const gates = new Map(parseGates(text));
  for (const name of gateNames()) if (!mayStay(name, use.minor)) gates.delete(name);
  for (const [name, value] of requiredGates(use)) gates.set(name, value);
  return [...gates].map(([name, value]) => `${name}=${value}`).join(',');
}

/** A kubelet gate that has no effect here is left alone until a binary refuses it. */
function mayStay(name: GateName, minor: number): boolean {
  return name === 'DisableKubeletCloudCredentialProviders' && minor < GATES[name].lockedSince;
}

/** Only the two settings without which a manager would not work as required. */
function requiredGates({ minor, cloudProvider, leaderMigration }: GateUse): [GateName, string][] {
  const required: [GateName, string][] = [];
  if (leaderMigration && minor === GATES.ControllerManagerLeaderMigration.since) {
    required.push(['ControllerManagerLeaderMigration', 'true']);
  }
  const { lockedSince } = GATES.DisableCloudProviders;
  const onByDefault = minor >= PROVIDERS_DISABLED_BY_DEFAULT_SINCE && minor < lockedSince;
  if (isLegacyProvider(cloudProvider) && onByDefault) {
    required.push(['DisableCloudProviders', 'false']);
  }
  return required;
}

/** Why this manager would not start, or would fail once it leads, with these gates; one sentence each. */
export function gateProblems(text: string, use: GateUse): readonly string[] {
  const gates = parseGates(text);
  const refused = gateNames().flatMap((name) => refusal(name, gates.get(name), use.minor));
  const missing = requiredGates(use)
    .filter(([name, value]) => gates.get(name) !== value)
    .map(([name, value]) => `needs --feature-gates=${name}=${value} at 1.${use.minor}`);
  return [...refused, ...missing, ...contradictions(gates, use)];
}

/** Settings that the binary accepts but that defeat the manager's purpose. */
function contradictions(gates: ReadonlyMap<string, string>, use: GateUse): readonly string[] {
  const problems: string[] = [];
  const { cloudProvider, minor, leaderMigration } = use;
  const legacy = isLegacyProvider(cloudProvider) && minor < PROVIDERS_DISABLED_BY_DEFAULT_SINCE;
  if (legacy && gates.get('DisableCloudProviders') === 'true') {
    problems.push(`DisableCloudProviders=true ends a KCM with --cloud-provider=${cloudProvider}`);
  }
  const { since, lockedSince } = GATES.ControllerManagerLeaderMigration;
  const settable = minor > since && minor < lockedSince;
  if (leaderMigration && settable && gates.get('ControllerManagerLeaderMigration') === 'false') {
    problems.push('ControllerManagerLeaderMigration=false turns Leader Migration off');
  }
  return problems;
}

function refusal(name: GateName, value: string | undefined, minor: number): readonly string[] {
  if (value === undefined) return [];
  const { removedIn, lockedSince, since } = GATES[name];
  if (minor >= removedIn) return [`${name} is unknown since 1.${removedIn}`];
  if (minor < since) return [`${name} is unknown before 1.${since}`];
  return minor >= lockedSince && value !== 'true'
    ? [`${name} is locked to true at 1.${minor}`]
    : [];
}

function gateNames(): readonly GateName[] {
  return [
    'ControllerManagerLeaderMigration',
    'DisableCloudProviders',
    'DisableKubeletCloudCredentialProviders',
  ];
}
