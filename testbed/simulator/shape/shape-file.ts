import type { ClusterSpec, PresetName } from '../cluster/cluster-spec.js';
import { PRESET_NAMES } from '../cluster/preset-names.js';
import { locatedYaml } from '../documents/located-yaml.js';
import { MEASURED_DELAYS, type KubeletDelays } from '../kubelets/delays.js';
import { readFaults, type ShapeFault } from './shape-faults.js';
import { StrictObject, type ShapeComplaint } from './strict-object.js';

/** A cluster to simulate, where it is, and what befalls it. */
export interface ShapedCluster {
  readonly id: string;
  readonly spec: Omit<ClusterSpec, 'id' | 'clock'>;
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly faults: readonly ShapeFault[];
}

/** What a group takes where it does not say otherwise: the flags of the simulator. */
export interface ShapeDefaults {
  readonly spec: ShapedCluster['spec'];
  readonly region: string;
}

export type ShapeAnswer =
  | { readonly ok: true; readonly clusters: readonly ShapedCluster[] }
  /** Each as `file:line:col: path: message`. */
  | { readonly ok: false; readonly problems: readonly string[] };

const SHAPE_API_VERSION = 'simulator.ccm-migrate.dev/v1';
const SHAPE_KIND = 'SimulatorShape';

/** Reads a shape strictly: an unknown key is a mistake. */
export function readShape(text: string, file: string, defaults: ShapeDefaults): ShapeAnswer {
  const yaml = locatedYaml(text);
  if (!yaml.ok) {
    const { line, column } = yaml.place;
    return { ok: false, problems: [`${file}:${line}:${column}: ${yaml.message}`] };
  }
  const complaints: ShapeComplaint[] = [];
  const clusters = readGroups(new StrictObject(yaml.value, [], complaints), defaults);
  if (complaints.length === 0) return { ok: true, clusters };
  const problems = complaints.map(({ path, about, message }) => {
    const { line, column } = yaml.placeOf(path, about);
    const where = path.length === 0 ? '' : ` ${path.join('.')}:`;
    return `${file}:${line}:${column}:${where} ${message}`;
  });
  return { ok: false, problems };
}

const MOST_CLUSTERS = 5000;

function readGroups(root: StrictObject, defaults: ShapeDefaults): readonly ShapedCluster[] {
  for (const [key, only] of [
    ['apiVersion', SHAPE_API_VERSION],
    ['kind', SHAPE_KIND],
  ] as const) {
    if (!root.has(key)) root.complain(`required, and missing: ${only}`, key);
    root.oneOf(key, [only]);
  }
  const groups = root.objects('groups');
  if (groups.length === 0) root.complain('must be a list of at least one group', 'groups');
  root.end();
  const seen = new Set<string>();
  const clusters = groups.flatMap((group) => {
    const read = readGroup(group, defaults);
    const twice = read.find(({ id }) => seen.has(id));
    const key = group.has('name') ? 'name' : 'prefix';
    if (twice !== undefined) group.complain(`another group has a cluster ${twice.id}`, key);
    for (const { id } of read) seen.add(id);
    return read;
  });
  if (clusters.length > MOST_CLUSTERS) {
    root.complain(`at most ${String(MOST_CLUSTERS)} clusters, not ${clusters.length}`, 'groups');
  }
  return clusters;
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/;
const NAME_HINT = 'a name of lower-case letters, digits and "-"';

function readGroup(group: StrictObject, defaults: ShapeDefaults): readonly ShapedCluster[] {
  const ids = readIds(group);
  const shared = {
    region: group.text('region', INVENTORY_NAME, 'a name as in an inventory') ?? defaults.region,
    labels: group.textMap('labels') ?? {},
    spec: { ...defaults.spec, ...readSpec(group) },
    faults: readFaults(group),
  };
  group.end();
  return ids.map((id) => ({ id, ...shared }));
}

/** As an inventory names clusters and regions. */
const INVENTORY_NAME = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;

/** `PREFIX-1`, `PREFIX-2`, …; or the one cluster that `name` calls. */
function readIds(group: StrictObject): readonly string[] {
  if (group.has('name')) {
    for (const key of ['prefix', 'count', 'first'].filter((each) => group.has(each)))
      group.complain('is for several clusters: a group has this or name', key, 'key');
    return [group.text('name', INVENTORY_NAME, 'a name as in an inventory') ?? ''];
  }
  const prefix = group.text('prefix', NAME, NAME_HINT) ?? '';
  if (!group.has('prefix')) group.complain('required, and missing', 'prefix');
  const count = group.whole('count', 1, MOST_CLUSTERS) ?? 1;
  const first = group.whole('first', 1, 1_000_000) ?? 1;
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(first + index)}`);
}

const VERSION = /^1\.\d{1,2}\.\d{1,3}$/;

/** The keys are those of the flags. */
function readSpec(group: StrictObject): Partial<ShapedCluster['spec']> {
  const hint = 'a version such as 1.30.14';
  return given({
    nodes: group.whole('nodes', 1, 9),
    version: group.text('from', VERSION, hint),
    apiServerVersion: group.text('to', VERSION, hint),
    preset: group.oneOf<PresetName>('preset', PRESET_NAMES),
    workers: group.whole('workers', 0, 10_000),
    loadBalancers: group.whole('services', 0, 10_000),
    etcd: group.oneOf('etcd', ['external', 'stacked'] as const),
    brokenMachines: group.texts('brokenMachines'),
    kubeletDelays: readDelays(group.object('kubelet')),
  });
}

function readDelays(kubelet: StrictObject | undefined): Partial<KubeletDelays> | undefined {
  if (kubelet === undefined) return undefined;
  const names = Object.keys(MEASURED_DELAYS).filter(isDelay);
  const delays = Object.fromEntries(
    names.flatMap((name) => {
      const range = kubelet.range(name);
      return range === undefined ? [] : [[name, range] as const];
    }),
  );
  kubelet.end();
  return delays;
}

function isDelay(name: string): name is keyof KubeletDelays {
  return Object.hasOwn(MEASURED_DELAYS, name);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without what is absent, so that a default is not covered by it. */
function given<T extends object>(members: T): Given<T> {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- what is undefined has just been left out
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Given<T>;
}
