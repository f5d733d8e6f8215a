import type { FenceRecord } from '../../../../activities/fence/fence-record.js';
import { FENCE, grantedFence, releasedFence } from '../../../../activities/fence/fence-record.js';
import type { Granting } from '../../../../activities/fence/fence-record.js';
import { listFence, setFenceMode } from '../../../../activities/fence/read-fence.js';
import { takeFenceOf } from '../../../../activities/fence/take-fence.js';
import { type Renewal, renewFence } from '../../../../activities/guard/fence-watch.js';
import { requireCluster } from '../../../../activities/require-cluster.js';
import { TIMINGS, runContext } from '../../../activities/run-context.js';
import { NO_UID, type Scenario } from './scenario.js';

const FIRST = { ...runContext(), nonce: 'nonce-1', acknowledge: true };
const SECOND = { ...FIRST, runId: 'run-2', nonce: 'nonce-2' };

/** The fence as it is read. */
async function present(read: Promise<{ fence: FenceRecord | null }>): Promise<FenceRecord> {
  const { fence } = await read;
  if (fence === null) throw new Error('the scenario has no fence');
  return fence;
}

const renewal = (serverTimeMs: number, text = ''): Renewal => ({
  serverTimeMs,
  breach: { changed: true, text },
  isFirst: false,
  metrics: [],
});

/** The fence Lease through a run's life, by the very functions that acquire, renew and release it. */
export const FENCE_SCENARIO: Scenario = {
  name: 'fence',
  about: 'The fence Lease is taken, contested, renewed, marked, taken over and released.',
  async play(environment) {
    await environment.call('read an absent fence', (api) => api.get(FENCE));
    await environment.call('require another cluster', (api) =>
      requireCluster(api, { name: 'c1', uid: NO_UID }, {}),
    );
    const record = async (
      _before: unknown,
      _wanted: unknown,
      act: () => Promise<unknown>,
    ): Promise<void> => {
      await act();
    };
    await environment.must('take a free fence', (api) => takeFenceOf(api, FIRST, record));
    await environment.call('take it again', (api) => takeFenceOf(api, FIRST, record));
    await environment.call('take one that another run holds', (api) =>
      takeFenceOf(api, SECOND, record),
    );
    const taken = await environment.must('list it', (api) => present(listFence(api)));
    await environment.call('create it where it is already', (api) =>
      api.create(grantedFence(SECOND, null, granting('', 0))),
    );
    await environment.call('replace it from nothing', (api) =>
      api.replace(grantedFence(SECOND, null, granting('', 0))),
    );
    await environment.must('renew it', (api) =>
      renewFence(
        api,
        FIRST,
        { ...taken, renewedAtMs: null },
        renewal(1_790_000_000_000, 'CCM3001 two owners'),
      ),
    );
    await environment.call('renew what was written since', (api) =>
      renewFence(api, FIRST, taken, renewal(1_790_000_005_000)),
    );
    await environment.call('replace what was written since', (api) =>
      api.replace(grantedFence(SECOND, taken, granting('run-1', 1_790_000_006_000))),
    );
    const renewed = await environment.must('list it again', (api) => present(listFence(api)));
    await environment.call('mark it idle', (api) =>
      setFenceMode(api, { timings: TIMINGS }, renewed, 'idle'),
    );
    await environment.must('displace its run', (api) =>
      takeFenceOf(api, { ...SECOND, takeOver: { reason: 'gone' } }, record),
    );
    const last = await environment.must('read it', (api) => present(listFence(api)));
    await environment.must('release it', (api) =>
      api.replace(releasedFence(last, 1_790_000_010_000)),
    );
    await environment.call('remove one of another uid', (api) =>
      api.remove(FENCE, { uid: NO_UID }),
    );
    await environment.call('remove one of another version', (api) =>
      api.remove(FENCE, { resourceVersion: taken.resourceVersion }),
    );
    await environment.must('remove it', (api) => api.remove(FENCE).then(() => true));
    await environment.call('remove what is gone', (api) => api.remove(FENCE));
    await environment.call('renew what is gone', (api) =>
      renewFence(api, SECOND, last, renewal(1_790_000_020_000)),
    );
    await environment.call('replace what is gone', (api) => api.replace(releasedFence(last, 0)));
  },
};

function granting(displaced: string, serverTimeMs: number): Granting {
  return { displaced, serverTimeMs, accepted: null };
}
