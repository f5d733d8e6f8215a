import { grantedFence, releasedFence, FENCE } from '../../../../activities/fence/fence-record.js';
import { listFence } from '../../../../activities/fence/read-fence.js';
import { setFenceMode } from '../../../../activities/fence/fence-mode.js';
import { takeFenceOf } from '../../../../activities/fence/take-fence.js';
import { renewFence, type Renewal } from '../../../../activities/guard/renew-fence.js';
import type { ApiObject, KubernetesApi } from '../../../../activities/ports.js';
import { requireCluster } from '../../../../activities/require-cluster.js';
import type { FenceRecord } from '../../../../activities/fence/fence-record.js';
import { runContext, TIMINGS } from '../../../activities/run-context.js';
import { NO_UID, type Scenario } from './scenario.js';

const FIRST = { ...runContext(), nonce: 'nonce-1', acknowledge: true };
const SECOND = { ...FIRST, runId: 'run-2', nonce: 'nonce-2' };

/** What came after the recording was made. */
interface Later {
  readonly guardedEpoch: number;
  readonly ended: readonly string[];
}
const NOTHING_LATER: Later = { guardedEpoch: 0, ended: [] };

/** The fence as it was read when the real API server was recorded. */
async function present(
  read: Promise<{ fence: FenceRecord | null }>,
): Promise<Omit<FenceRecord, keyof Later>> {
  const { fence } = await read;
  if (fence === null) throw new Error('the scenario has no fence');
  const { guardedEpoch: _guardedEpoch, ended: _ended, ...recorded } = fence;
  return recorded;
}

const renewal = (serverTimeMs: number, text = ''): Renewal => ({
  serverTimeMs,
  breach: { changed: true, text },
  isFirst: false,
});

/** To an API server one annotation is like another. */
const LATER = Object.keys(NOTHING_LATER).map((name) => `ccm-migrate.dev/${name}`);

/** Sends what was sent when the real API server was recorded. */
function asRecorded(api: KubernetesApi): KubernetesApi {
  return {
    ...api,
    replace: (object, options) => api.replace(withoutLater(object), options),
    mergePatch: (ref, patch, options) => api.mergePatch(ref, withoutLater(patch), options),
  };
}

function withoutLater<T extends Pick<ApiObject, 'metadata'>>(object: T): T {
  const { annotations = {}, ...metadata } = object.metadata ?? {};
  const kept = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !LATER.includes(name)),
  );
  const none = Object.keys(kept).length === 0;
  return { ...object, metadata: { ...metadata, ...(none ? {} : { annotations: kept }) } };
}

/** The fence Lease through a run's life, by the very functions that take, renew and release it. */
export const FENCE_SCENARIO: Scenario = {
  name: 'fence',
  about: 'The fence Lease is taken, contested, renewed, marked, taken over and released.',
  async play(stage) {
    await stage.call('read an absent fence', (api) => api.get(FENCE));
    await stage.call('require another cluster', (api) =>
      requireCluster(api, { name: 'c1', uid: NO_UID }, {}),
    );
    const record = async (
      _before: unknown,
      _wanted: unknown,
      act: () => Promise<unknown>,
    ): Promise<void> => {
      await act();
    };
    await stage.must('take a free fence', (api) => takeFenceOf(api, FIRST, record));
    await stage.call('take it again', (api) => takeFenceOf(api, FIRST, record));
    await stage.call('take one that another run holds', (api) => takeFenceOf(api, SECOND, record));
    const listed = await stage.must('list it', (api) => present(listFence(api)));
    const taken = { ...listed, ...NOTHING_LATER };
    await stage.call('create it where it is already', (api) =>
      api.create(grantedFence(SECOND, null, '', 0)),
    );
    await stage.call('replace it from nothing', (api) =>
      api.replace(grantedFence(SECOND, null, '', 0)),
    );
    await stage.must('renew it', (api) =>
      renewFence(
        asRecorded(api),
        FIRST,
        { ...taken, renewedAtMs: null },
        renewal(1_790_000_000_000, 'CCM3001 two owners'),
      ),
    );
    await stage.call('renew what was written since', (api) =>
      renewFence(asRecorded(api), FIRST, taken, renewal(1_790_000_005_000)),
    );
    await stage.call('replace what was written since', (api) =>
      api.replace(grantedFence(SECOND, taken, 'run-1', 1_790_000_006_000)),
    );
    const again = await stage.must('list it again', (api) => present(listFence(api)));
    const renewed = { ...again, ...NOTHING_LATER };
    await stage.call('mark it idle', (api) =>
      setFenceMode(api, { timings: TIMINGS }, renewed, 'idle'),
    );
    await stage.must('displace its run', (api) =>
      takeFenceOf(api, { ...SECOND, takeOver: { reason: 'gone' } }, record),
    );
    const read = await stage.must('read it', (api) => present(listFence(api)));
    const last = { ...read, ...NOTHING_LATER };
    await stage.must('release it', (api) =>
      asRecorded(api).replace(releasedFence(last, 1_790_000_010_000)),
    );
    await stage.call('remove one of another uid', (api) => api.remove(FENCE, { uid: NO_UID }));
    await stage.call('remove one of another version', (api) =>
      api.remove(FENCE, { resourceVersion: taken.resourceVersion }),
    );
    await stage.must('remove it', (api) => api.remove(FENCE).then(() => true));
    await stage.call('remove what is gone', (api) => api.remove(FENCE));
    await stage.call('renew what is gone', (api) =>
      renewFence(asRecorded(api), SECOND, last, renewal(1_790_000_020_000)),
    );
    await stage.call('replace what is gone', (api) =>
      asRecorded(api).replace(releasedFence(last, 0)),
    );
  },
};
