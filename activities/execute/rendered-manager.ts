import type { Finding } from '../../domain/finding.js';
import { renderMachineFiles, renderManager } from '../../domain/rendering/render-manager.js';
import type { LeaderMigrationConfigMap } from '../../domain/rendering/rendered.js';
import type { ManagerWant } from '../../domain/step.js';
import { failure } from '../failures.js';
import { manifestPath, parkedPath } from '../node-paths.js';
import { readNodeFile } from './node-file-writes.js';
import type { StepSession } from './step-session.js';
import { policyOf } from './step-session.js';

/** Everything a wanted manager needs, ready to be written. */
export interface WantedManager {
  readonly manifest: string;
  /** Absolute path → content; must exist before the manifest. */
  readonly files: Readonly<Record<string, string>>;
  readonly configMap: LeaderMigrationConfigMap | null;
}

/** Renders the wanted state of a step from the node's files, with the same code as `plan`. */
export async function renderWanted(
  session: StepSession,
  want: ManagerWant,
  current: string | null,
): Promise<WantedManager> {
  const rendering = renderManager({
    want,
    current,
    baseline: await referenceManifest(session),
    policy: policyOf(session),
    materials: session.input.materials,
  });
  if (rendering.kind === 'impossible') throw cannotRender(session, rendering.finding);
  if (rendering.manifest === null) throw failure('Bug', 'a manager that must run has no manifest');
  return { ...rendering, manifest: rendering.manifest };
}

/** Files of a new machine. */
export async function renderMachine(
  session: StepSession,
  side: 'source' | 'target',
): Promise<Readonly<Record<string, string>>> {
  const leaderMigration = policyOf(session).strategy === 'gap' ? 'off' : 'on';
  const rendering = renderMachineFiles({
    side,
    leaderMigration,
    baseline: await referenceManifest(session),
    policy: policyOf(session),
    materials: session.input.materials,
  });
  if (rendering.kind === 'impossible') throw cannotRender(session, rendering.finding);
  return rendering.files;
}

function cannotRender({ step }: StepSession, { code, subject, seen, fix }: Finding): Error {
  return failure('NotSupported', `step ${step}: ${code} ${subject}: ${seen}. ${fix}`);
}

/**
 * The KCM manifest from before the first step; where none was recorded (a cluster migrated by hand), that of a node that
 * still has loops, else of any node.
 */
async function referenceManifest(session: StepSession): Promise<string | null> {
  const { baselineManifest } = session.slow;
  if (baselineManifest !== null) return baselineManifest;
  const nodes = [...session.before.nodes].sort((a, b) => weight(b) - weight(a));
  for (const node of nodes.filter(({ reachable }) => reachable)) {
    const { state } = node.kcm.manifest;
    if (state !== 'present' && state !== 'parked') continue;
    const path = state === 'present' ? manifestPath('kcm') : parkedPath('kcm');
    const file = await readNodeFile(session, node.name, path);
    if (file !== null) return file.content;
  }
  return null;
}

function weight({ kcm: { manifest } }: StepSession['before']['nodes'][number]): number {
  if (manifest.state !== 'present' && manifest.state !== 'parked') return 0;
  return manifest.config.cloudLoops ? 2 : 1;
}
