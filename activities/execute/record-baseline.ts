import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import { baselineObject, baselineOf, observeBaseline, readBaseline } from '../observe/baseline.js';
import { failure } from '../failures.js';
import { manifestPath, parkedPath } from '../node-paths.js';
import type { ConfigMapObject } from '../observe/objects.js';
import { readNodeFile } from './node-file-writes.js';
import type { NamedObject } from './object-writes.js';
import { createOurObject, readObject, refOf } from './object-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NO_OWNERSHIP_LOSS, note, policyOf } from './step-session.js';

/**
 * Stores what a rollback needs: the manifest of a KCM that has its cloud loops (one in place, else a parked one), how many
 * control-plane nodes there are, and the digests of the inventory. An existing baseline is never replaced.
 */
export async function storeBaseline(session: StepSession): Promise<EffectReport> {
  const source = nodeWithLoops(session, 'present') ?? nodeWithLoops(session, 'parked');
  const path = source?.kcm.manifest.state === 'parked' ? parkedPath('kcm') : manifestPath('kcm');
  const file = source === undefined ? null : await readNodeFile(session, source.name, path);
  if (file === null) {
    throw failure('PreconditionFailed', 'no node has a KCM manifest with cloud loops to record');
  }
  const baseline = baselineOf(session.before, file.content);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- built with kind and name just here
  const wanted = baselineObject(baseline) as NamedObject & ConfigMapObject;
  const present = await readObject(session, refOf(wanted));
  if (present !== null) {
    if (readBaseline(present) !== null) return NO_OWNERSHIP_LOSS;
    throw failure(
      'ForeignEdit',
      'ConfigMap kube-system/ccm-migrate-baseline exists but cannot be read as ours. ' +
        'Restore or remove it, then `ccm-migrate retry`',
    );
  }
  await createOurObject(session, wanted);
  note(session, `KCM manifest of ${source?.name ?? ''} and inventory recorded`);
  const learned = {
    baseline: observeBaseline(baseline, policyOf(session)),
    baselineManifest: baseline.manifest,
  };
  return { lost: null, learned };
}

function nodeWithLoops(
  { before }: StepSession,
  state: 'present' | 'parked',
): ControlPlaneNode | undefined {
  return before.nodes.find(
    ({ kcm: { manifest } }) =>
      (manifest.state === 'present' || manifest.state === 'parked') &&
      manifest.state === state &&
      manifest.config.cloudLoops,
  );
}
