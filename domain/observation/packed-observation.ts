import { canonicalJson } from '../digest.js';
import type {
  BaselineObservation,
  CcmWorkload,
  ClusterObservation,
  ControlPlaneNode,
  EtcdMember,
  EtcdObservation,
  ManagerConfig,
  ManagerProcess,
  ManagerSlot,
} from './observation.js';
import type { Manager } from '../vocabulary.js';

/**
 * The compact form of an observation for transport and storage: each set of settings once, without the values that nearly
 * every cluster shares. Plain JSON and lossless: `unpackObservation` restores it. Seven control-plane nodes stay below 16 KB.
 */
export interface PackedObservation extends Omit<
  ClusterObservation,
  'nodes' | 'etcd' | 'ccmWorkload' | 'baseline'
> {
  /** Another packing, or other default values, needs another number: histories keep what was once written. */
  readonly packing: 1;
  readonly configs: readonly PackedConfig[];
  readonly nodes: readonly PackedNode[];
  readonly etcd: Omit<EtcdObservation, 'members'> & { readonly members: readonly PackedMember[] };
  readonly ccmWorkload: Omit<CcmWorkload, 'template'> & { readonly template: ConfigIndex | null };
  readonly baseline: (Omit<BaselineObservation, 'kcm'> & { readonly kcm: ConfigIndex }) | null;
}

/** Index in `configs`, from 0. */
type ConfigIndex = number;

/** A value whose members may be left out where they have their default. */
type Unusual<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

type PackedConfig = Unusual<ManagerConfig, keyof typeof USUAL_CONFIG>;

/** Also left out: a hostname equal to the name, and an absent manager. */
type PackedNode = Unusual<
  Omit<ControlPlaneNode, Manager | 'hostname'>,
  keyof typeof USUAL_NODE & keyof ControlPlaneNode
> &
  Partial<Pick<ControlPlaneNode, 'hostname'> & Readonly<Record<Manager, PackedSlot>>>;

interface PackedSlot {
  /** Left out: absent. */
  readonly manifest?: PackedManifest;
  /** Left out: none. */
  readonly processes?: readonly PackedProcess[];
}

type ManifestOf<State extends ManagerSlot['manifest']['state']> = Extract<
  ManagerSlot['manifest'],
  { state: State }
>;

type PackedManifest =
  | ManifestOf<'unknown'>
  | (Omit<ManifestOf<'present'>, 'config'> & { readonly config: ConfigIndex })
  | (Omit<ManifestOf<'parked'>, 'config'> & { readonly config: ConfigIndex })
  | (Omit<ManifestOf<'interrupted'>, 'successor'> & { readonly successor: ConfigIndex });

type PackedProcess = Unusual<Omit<ManagerProcess, 'config'>, keyof typeof USUAL_PROCESS> & {
  readonly config: ConfigIndex;
};

/** Also left out: a node that has the member's name. */
type PackedMember = Unusual<Omit<EtcdMember, 'node'>, keyof typeof USUAL_MEMBER> &
  Partial<Pick<EtcdMember, 'node'>>;

const USUAL_CONFIG = {
  leaderElect: true,
  timings: { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 },
  leaderMigration: { kind: 'off' },
  contendsForMigrationLock: true,
  clusterName: 'kubernetes',
  clusterCidr: '',
  routes: false,
  controllers: '*',
  cloudConfigHash: '',
} as const satisfies Partial<ManagerConfig>;

const USUAL_NODE = {
  ready: 'yes',
  cordoned: false,
  providerId: null,
  reachable: true,
} as const satisfies Partial<ControlPlaneNode>;

const USUAL_PROCESS = {
  startedAtMs: null,
  podUid: null,
  liveness: 'running',
  restarts: 0,
  identity: null,
  locks: { main: 'waiting', migration: 'notTried' },
} as const satisfies Partial<ManagerProcess>;

const USUAL_MEMBER = {
  voter: 'yes',
  healthy: 'yes',
  leader: false,
} as const satisfies Partial<EtcdMember>;

/** Makes an observation small enough for histories. */
export function packObservation(observation: ClusterObservation): PackedObservation {
  const table = new ConfigTable();
  const { ccmWorkload, baseline, nodes, etcd } = observation;
  const { template } = ccmWorkload;
  const packed = {
    nodes: nodes.map((node) => packNode(node, table)),
    etcd: { ...etcd, members: etcd.members.map(packMember) },
    ccmWorkload: { ...ccmWorkload, template: template === null ? null : table.place(template) },
    baseline: baseline === null ? null : { ...baseline, kcm: table.place(baseline.kcm) },
  };
  return { ...observation, packing: 1, ...packed, configs: table.configs };
}

/** The original observation; equal settings are one object. Throws on an index that does not exist. */
export function unpackObservation(packed: PackedObservation): ClusterObservation {
  const { packing: _, configs, ...rest } = packed;
  const unpacked = configs.map((config): ManagerConfig => ({ ...USUAL_CONFIG, ...config }));
  const at = (place: ConfigIndex): ManagerConfig => {
    const config = unpacked[place];
    if (config === undefined)
      throw new Error(`Bug: no settings ${String(place)} in what was packed`);
    return config;
  };
  const { ccmWorkload, baseline, nodes, etcd } = rest;
  const { template } = ccmWorkload;
  return {
    ...rest,
    nodes: nodes.map((node) => unpackNode(node, at)),
    etcd: { ...etcd, members: etcd.members.map(unpackMember) },
    ccmWorkload: { ...ccmWorkload, template: template === null ? null : at(template) },
    baseline: baseline === null ? null : { ...baseline, kcm: at(baseline.kcm) },
  };
}

type At = (place: ConfigIndex) => ManagerConfig;

/** Each set of settings gets an index when it first occurs. */
class ConfigTable {
  readonly configs: PackedConfig[] = [];
  readonly #places = new Map<string, ConfigIndex>();

  place(config: ManagerConfig): ConfigIndex {
    const key = canonicalJson(config);
    const place = this.#places.get(key) ?? this.configs.length;
    if (place === this.configs.length) this.configs.push(withoutUsual(config, USUAL_CONFIG));
    this.#places.set(key, place);
    return place;
  }
}

function packNode(
  { kcm, ccm, hostname, ...node }: ControlPlaneNode,
  table: ConfigTable,
): PackedNode {
  return {
    ...withoutUsual(node, USUAL_NODE),
    ...(hostname === node.name ? {} : { hostname }),
    ...(isEmpty(kcm) ? {} : { kcm: packSlot(kcm, table) }),
    ...(isEmpty(ccm) ? {} : { ccm: packSlot(ccm, table) }),
  };
}

function unpackNode({ kcm = {}, ccm = {}, ...node }: PackedNode, at: At): ControlPlaneNode {
  return {
    ...USUAL_NODE,
    hostname: node.name,
    ...node,
    kcm: unpackSlot(kcm, at),
    ccm: unpackSlot(ccm, at),
  };
}

function packMember({ node, ...member }: EtcdMember): PackedMember {
  return { ...withoutUsual(member, USUAL_MEMBER), ...(node === member.name ? {} : { node }) };
}

function unpackMember(member: PackedMember): EtcdMember {
  return { ...USUAL_MEMBER, node: member.name, ...member };
}

function isEmpty({ manifest, processes }: ManagerSlot): boolean {
  return manifest.state === 'absent' && processes.length === 0;
}

function packSlot({ manifest, processes }: ManagerSlot, table: ConfigTable): PackedSlot {
  const packed = processes.map(({ config, ...process }) => ({
    ...withoutUsual(process, USUAL_PROCESS),
    config: table.place(config),
  }));
  return {
    ...(manifest.state === 'absent' ? {} : { manifest: packManifest(manifest, table) }),
    ...(packed.length === 0 ? {} : { processes: packed }),
  };
}

function unpackSlot({ manifest, processes = [] }: PackedSlot, at: At): ManagerSlot {
  return {
    manifest: manifest === undefined ? { state: 'absent' } : unpackManifest(manifest, at),
    processes: processes.map((process) => ({
      ...USUAL_PROCESS,
      ...process,
      config: at(process.config),
    })),
  };
}

function packManifest(
  manifest: Exclude<ManagerSlot['manifest'], ManifestOf<'absent'>>,
  table: ConfigTable,
): PackedManifest {
  switch (manifest.state) {
    case 'present':
    case 'parked':
      return { ...manifest, config: table.place(manifest.config) };
    case 'interrupted':
      return { ...manifest, successor: table.place(manifest.successor) };
    case 'unknown':
      return manifest;
  }
}

function unpackManifest(manifest: PackedManifest, at: At): ManagerSlot['manifest'] {
  switch (manifest.state) {
    case 'present':
    case 'parked':
      return { ...manifest, config: at(manifest.config) };
    case 'interrupted':
      return { ...manifest, successor: at(manifest.successor) };
    case 'unknown':
      return manifest;
  }
}

/** The members of a value that differ from the defaults. */
function withoutUsual<T extends object, U extends Partial<T>>(
  value: T,
  usual: U,
): Unusual<T, keyof U & keyof T> {
  const known = new Map(Object.entries(usual).map(([key, part]) => [key, canonicalJson(part)]));
  const own = Object.entries(value).filter(([key, part]) => known.get(key) !== canonicalJson(part));
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the members of a T without some of those in U
  return Object.fromEntries(own) as Unusual<T, keyof U & keyof T>;
}
