import { listAt, objectAt, textAt, valueAt } from '../../base/json.js';
import { parseYaml } from '../documents/parse-yaml.js';
import {
  BUILT_IN_LEADER_NAME,
  BUILT_IN_MIGRATED,
  CONFIG_VERSIONS,
  STRICT_DECODING,
} from '../versions/behaviour.js';
import { valueFor } from '../versions/by-minor.js';

/** A LeaderMigrationConfiguration as one binary decoded it. */
export interface MigrationConfiguration {
  readonly leaderName: string;
  readonly resourceLock: string;
  /** Registered name → component; the last entry wins, as in upstream's map. */
  readonly components: ReadonlyMap<string, string>;
}

export type ConfigurationAnswer =
  | { readonly ok: true; readonly configuration: MigrationConfiguration }
  | { readonly ok: false; readonly message: string };

const GROUP = 'controllermanager.config.k8s.io';
const TOP_FIELDS = new Set(['apiVersion', 'kind', 'leaderName', 'controllerLeaders']);
const ENTRY_FIELDS = new Set(['name', 'component']);

/** What a process without `--leader-migration-config` runs with. */
export function builtInConfiguration(minor: number): ConfigurationAnswer {
  const names = valueFor(BUILT_IN_MIGRATED, minor);
  if (names === null) return refuse('leader migration needs a configuration file');
  const components = new Map(names.map((name) => [name, '*']));
  return accept({ leaderName: BUILT_IN_LEADER_NAME, resourceLock: 'leases', components });
}

/** Decodes and validates a file as a binary of this minor does at its start. */
export function readConfiguration(text: string, minor: number): ConfigurationAnswer {
  const strict = valueFor(STRICT_DECODING, minor);
  const parsed = parseYaml(text, { uniqueKeys: strict });
  if (!parsed.ok) return refuse(`yaml: ${parsed.message}`);
  const version = versionOf(parsed.value);
  if (version === undefined || !valueFor(CONFIG_VERSIONS, minor).includes(version)) {
    return refuse(
      `no kind "LeaderMigrationConfiguration" in version "${textAt(parsed.value, 'apiVersion')}"`,
    );
  }
  const unknown = strict ? unknownField(parsed.value, version) : undefined;
  if (unknown !== undefined) return refuse(`strict decoding error: unknown field "${unknown}"`);
  return validate(parsed.value, version);
}

function versionOf(value: unknown): string | undefined {
  const [group, version] = textAt(value, 'apiVersion').split('/');
  const isOurs = group === GROUP && valueAt(value, 'kind') === 'LeaderMigrationConfiguration';
  return isOurs ? version : undefined;
}

function unknownField(value: unknown, version: string): string | undefined {
  const allowed = new Set(TOP_FIELDS);
  if (version !== 'v1') allowed.add('resourceLock');
  const top = Object.keys(objectAt(value)).find((field) => !allowed.has(field));
  if (top !== undefined) return top;
  return listAt(value, 'controllerLeaders')
    .flatMap((entry) => Object.keys(objectAt(entry)))
    .find((field) => !ENTRY_FIELDS.has(field));
}

function validate(value: unknown, version: string): ConfigurationAnswer {
  const leaderName = textAt(value, 'leaderName');
  if (leaderName === '') return refuse('leaderName: Required value');
  const resourceLock = version === 'v1' ? 'leases' : textAt(value, 'resourceLock');
  if (resourceLock !== 'leases' && resourceLock !== 'endpoints') {
    return refuse(`resourceLock: Invalid value: "${resourceLock}"`);
  }
  const components = new Map<string, string>();
  for (const entry of listAt(value, 'controllerLeaders')) {
    const name = textAt(entry, 'name');
    const component = textAt(entry, 'component');
    if (name === '' || component === '')
      return refuse('controllerLeaders: name and component are required');
    components.set(name, component);
  }
  return accept({ leaderName, resourceLock, components });
}

function accept(configuration: MigrationConfiguration): ConfigurationAnswer {
  return { ok: true, configuration };
}

export function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
