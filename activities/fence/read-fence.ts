import { failure } from '../failures.js';
import type { LeaseObject } from '../observe/lease-reading.js';
import type { CallOptions, KubernetesApi } from '../ports.js';
import type { FenceRecord } from './fence-record.js';
import { FENCE, readFence } from './fence-record.js';
import type { Claim, FenceVerdict } from './fence-verdict.js';
import { judgeFence } from './fence-verdict.js';

/** The fence as it stands now and the API server's clock (epoch ms); `fence` is null when there is none. */
export interface FenceReading {
  readonly fence: FenceRecord | null;
  readonly serverTimeMs: number;
}

/** Reads the fence through a list, whose answer carries the server's clock even when the fence is absent. */
export async function listFence(api: KubernetesApi, options?: CallOptions): Promise<FenceReading> {
  const { apiVersion, kind, namespace, name } = FENCE;
  const page = await api.list<LeaseObject>(
    { apiVersion, kind, namespace },
    { ...options, fieldSelector: `metadata.name=${name}` },
  );
  const lease = page.items.find(({ metadata }) => metadata?.name === name);
  return {
    fence: lease === undefined ? null : readFence(lease),
    serverTimeMs: page.serverTimeMs,
  };
}

/** Re-reads the fence and throws `FenceLost` or `Breach` unless this claim may write now. */
export async function requireFence(
  api: KubernetesApi,
  claim: Claim,
  options?: CallOptions,
): Promise<FenceRecord> {
  const found = await api.get<LeaseObject>(FENCE, options);
  const fence = found === null ? null : readFence(found.object);
  throwIfClosed(judgeFence(claim, fence, found?.serverTimeMs ?? 0));
  if (fence === null) throw failure('FenceLost', 'the fence is gone');
  return fence;
}

/** Turns a closed fence into the failure that says why. */
export function throwIfClosed(verdict: FenceVerdict): void {
  if (verdict.kind === 'closed') throw failure(verdict.type, verdict.message);
}
