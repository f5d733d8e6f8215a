import { PROBE_SERVICE } from '../../domain/probes/balancer-probe.js';
import type { MigrationPolicy, RunTimings } from '../../domain/policy.js';
import { failureTypeOf } from '../failures.js';
import { fencedMutation, type Writer } from './fenced-mutation.js';
import { objectName } from './find-effect.js';
import { objectChange } from '../object-change.js';
import { findProbeService, uidToDelete } from '../probes/probe-service.js';

interface Ending {
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
}

/**
 * Deletes what a probe of this run left when the run ended in the middle of it; its finalizer waits for the owner of the
 * service controller. A cluster that refuses must not keep the run from ending: `ccm-migrate probe clean` comes after it.
 */
export async function dropProbe(writer: Writer, { policy, timings }: Ending): Promise<void> {
  if (policy.probes === undefined) return;
  const options = { timeoutMs: timings.requestMs };
  const { api } = writer.ports;
  try {
    const left = await findProbeService(api, options);
    const uid = uidToDelete(left);
    if (left === null || uid === null) return;
    const change = objectChange({ ...left, kind: PROBE_SERVICE.kind }, null);
    await fencedMutation(
      writer,
      { verb: 'delete', object: objectName(PROBE_SERVICE), ...change },
      () => api.remove(PROBE_SERVICE, { ...options, uid }),
    );
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === null || type === 'Bug') throw error;
  }
}
