import { digestText } from '../digest.js';
import type { MigrationPolicy } from '../policy.js';
import type { CloudController, Manager } from '../vocabulary.js';
import { CLOUD_CONTROLLERS } from '../vocabulary.js';
import type { LeaderEntry } from './controller-names.js';
import {
  COMPONENTS,
  SPELLINGS,
  WILDCARD_SINCE_MINOR,
  dispositions,
  registeredCloudController,
} from './controller-names.js';
import {
  type FileVersion,
  GROUP,
  KIND,
  fileVersionFor,
  hasResourceLock,
  parseLeaderMigration,
  readerMinor,
} from './parse-leader-migration.js';

/** The purpose of a Leader Migration file: the binary that reads it, and the lock that all must share. */
export interface CompileRequest {
  readonly manager: Manager;
  /** Kubernetes version of the binary; for a CCM that of its k8s.io/cloud-provider library. */
  readonly version: string;
  readonly lock: Pick<MigrationPolicy['lock'], 'name' | 'controllers'>;
  /** False lists only the names that this binary registers. Default true, see `compileLeaderMigration`. */
  readonly bothSpellings?: boolean;
}

export interface CompiledLeaderMigration {
  readonly text: string;
  /** `sha256:<hex>` of the text. */
  readonly digest: string;
  /** Named by content, so that other content means another argument and restarts the pod: a file is read once. */
  readonly fileName: string;
}

/**
 * Renders the file for one binary. Both spellings of every controller are listed from 1.22 on: names that a binary does not
 * register match nothing, so one text serves both sides of the 1.28 change, an image that is replaced under the file stays
 * protected, and equal sets have equal digests. 1.21 has no `*`: there the component is the binary's own name. The result is
 * parsed back strictly and its dispositions are checked; an `Error` here is a bug of ours, or a request that was not
 * validated.
 */
export function compileLeaderMigration(request: CompileRequest): CompiledLeaderMigration {
  const minor = readerMinor(request.version);
  const fileVersion = minor === null ? null : fileVersionFor(minor);
  if (minor === null || fileVersion === null) {
    throw new Error(`Bug: no Leader Migration file exists for version ${request.version}`);
  }
  const text = render(fileVersion, request.lock.name, entriesFor(request, minor));
  const problems = compiledProblems(text, request, minor);
  if (problems.length > 0) throw new Error(`Bug: own output is wrong: ${problems.join('; ')}`);
  const digest = digestText(text);
  return { text, digest, fileName: leaderMigrationFileName(digest) };
}

/** Name of the ConfigMap with the file of a DaemonSet: `ccm-leader-migration-<12 hex>` of the content. */
export function migrationConfigMapName({
  digest,
}: Pick<CompiledLeaderMigration, 'digest'>): string {
  return `ccm-leader-migration-${digest.slice('sha256:'.length).slice(0, 12)}`;
}

/** `leader-migration-<12 hex>.yaml` for a content's digest. */
function leaderMigrationFileName(digest: string): string {
  return `leader-migration-${digest.slice('sha256:'.length).slice(0, 12)}.yaml`;
}

/** Problems of a text as the result of a request; empty when there are none. */
export function compiledProblems(
  text: string,
  { manager, lock }: CompileRequest,
  minor: number,
): readonly string[] {
  const parsed = parseLeaderMigration(text, minor, 'strict');
  if (parsed.kind === 'invalid') return parsed.problems.map((p) => `${p.path} ${p.message}`);
  const seen = dispositions(parsed.file.entries, manager, minor);
  const wanted = (controller: CloudController): string =>
    lock.controllers.includes(controller) ? 'migrated' : 'nonMigrated';
  const wrong = CLOUD_CONTROLLERS.filter((controller) => seen[controller] !== wanted(controller));
  return wrong.map((controller) => `${controller} is ${seen[controller]}`);
}

function entriesFor(request: CompileRequest, minor: number): readonly LeaderEntry[] {
  const { lock, manager, bothSpellings = true } = request;
  const component = minor >= WILDCARD_SINCE_MINOR ? '*' : COMPONENTS[manager];
  const both = bothSpellings && minor >= WILDCARD_SINCE_MINOR;
  const controllers = CLOUD_CONTROLLERS.filter((one) => lock.controllers.includes(one));
  return controllers
    .flatMap((one) =>
      both ? [SPELLINGS[one].short, SPELLINGS[one].long] : [registeredCloudController(one, minor)],
    )
    .map((name) => ({ name, component }));
}

function render(
  fileVersion: FileVersion,
  leaderName: string,
  entries: readonly LeaderEntry[],
): string {
  return [
    `apiVersion: ${GROUP}/${fileVersion}`,
    `kind: ${KIND}`,
    `leaderName: ${leaderName}`,
    ...(hasResourceLock(fileVersion) ? ['resourceLock: leases'] : []),
    'controllerLeaders:',
    ...entries.flatMap(({ name, component }) => [`- name: ${name}`, `  component: "${component}"`]),
    '',
  ].join('\n');
}
