import { GATES, parseGates } from './feature-gates.js';
import { minorOf } from './minors.js';
import { builtInDefault, DEFAULT_LEADER_NAME, dispositions } from './controller-names.js';
import { digestText } from '../digest.js';
import { problemLine } from '../yaml/tree.js';
import type { LeaderMigration } from '../observation/observation.js';
import type { Manager } from '../vocabulary.js';
import { parseLeaderMigration } from './parse-leader-migration.js';

/** `configHash` of a manager that runs with upstream's default instead of a file. */
export const BUILT_IN = 'built-in';

const LONGEST_REASON = 300;

export interface LeaderMigrationFlags {
  readonly manager: Manager;
  readonly version: string;
  readonly namespace: string;
  /** `--enable-leader-migration` and `--leader-elect`. */
  readonly on: boolean;
  readonly featureGates: string;
  /** `--leader-migration-config`; empty means the built-in default. */
  readonly path: string;
  /** Its text; null when it is missing, undefined when it was not read. */
  readonly file: string | null | undefined;
}

/**
 * What Leader Migration does in a manager with these flags. A path without `--enable-leader-migration` is
 * ignored, and so is everything without leader election.
 * Source: k8s.io/controller-manager pkg/leadermigration/{util,options/options}.go v0.21 to v0.36.
 */
export function effectiveLeaderMigration(flags: LeaderMigrationFlags): LeaderMigration {
  if (!flags.on) return { kind: 'off' };
  const minor = minorOf(flags.version);
  if (minor === null)
    return unreadable('the version of the binary is unknown, and so are its controller names');
  if (!gateOn(flags.featureGates, minor)) return { kind: 'off' };
  return flags.path === '' ? byDefault(flags, minor) : fromFile(flags, minor);
}

/** Off by default at 1.21, may be set up to 1.23. Source: pkg/features/kube_features.go v0.21 to v0.24. */
function gateOn(featureGates: string, minor: number): boolean {
  const { since, lockedSince } = GATES.ControllerManagerLeaderMigration;
  const given = parseGates(featureGates).get('ControllerManagerLeaderMigration');
  if (minor >= lockedSince) return true;
  return given === undefined ? minor > since : given === 'true';
}

function byDefault({ manager, namespace }: LeaderMigrationFlags, minor: number): LeaderMigration {
  const entries = builtInDefault(minor);
  if (entries === null) return unreadable('1.21 has no built-in default: a file is mandatory');
  return {
    kind: 'on',
    lock: { namespace, name: DEFAULT_LEADER_NAME },
    dispositions: dispositions(entries, manager, minor),
    configHash: BUILT_IN,
  };
}

function fromFile(
  { manager, namespace, path, file }: LeaderMigrationFlags,
  minor: number,
): LeaderMigration {
  if (file === undefined)
    return unreadable(`${path} was not read: name it by an absolute path without .. and //`);
  if (file === null) return unreadable(`${path} is missing`);
  const parsed = parseLeaderMigration(file, minor);
  if (parsed.kind === 'invalid') {
    return unreadable(`${path} ${parsed.problems.map(problemLine).join('; ')}`);
  }
  return {
    kind: 'on',
    lock: { namespace, name: parsed.file.leaderName },
    dispositions: dispositions(parsed.file.entries, manager, minor),
    configHash: digestText(file),
  };
}

function unreadable(why: string): LeaderMigration {
  return { kind: 'unreadable', why: why.slice(0, LONGEST_REASON) };
}
