import { failure } from '../failures.js';
import type { LeaseObject } from '../observe/lease-reading.js';
import type { CallOptions, KubernetesApi } from '../ports.js';
import type { FenceRecord } from './fence-record.js';
import { FENCE, readFence } from './fence-record.js';
import type { Claim, FenceVerdict } from './fence-verdict.js';
import { judgeFence } from './fence-verdict.js';

/** The current fence and the API server's clock (epoch ms); `fence` is null when there is none. */
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

/** The fence by a single get, the cheapest way when it exists; `serverTimeMs` is 0 when it is gone. */
export async function getFence(api: KubernetesApi, options?: CallOptions): Promise<FenceReading> {
  const found = await api.get<LeaseObject>(FENCE, options);
  return found === null
    ? { fence: null, serverTimeMs: 0 }
    : { fence: readFence(found.object), serverTimeMs: found.serverTimeMs };
}

/** Re-reads the fence and throws `FenceLost`, `Unguarded` or `Breach` unless this claim may write now. */
export async function requireFence(
  api: KubernetesApi,
  claim: Claim,
  options?: CallOptions,
): Promise<FenceRecord> {
  const { fence, serverTimeMs } = await getFence(api, options);
  throwIfClosed(judgeFence(claim, fence, serverTimeMs));
  if (fence === null) throw failure('FenceLost', 'the fence is gone');
  return fence;
}

/** Turns a closed fence into the failure that says why. */
export function throwIfClosed(verdict: FenceVerdict): void {
  if (verdict.kind === 'closed') throw failure(verdict.type, verdict.message);
}
