import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { simulatorPolicy } from '../simulator-policy.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

describe('a CCM as DaemonSet, started and stopped by our label', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: DAEMON_SET,
    });
  });
  afterEach(() => stage.close());

  it('goes there and back, and leaves no workload behind', async () => {
    await stage.migrate('ccm');
    const there = await stage.look();
    expect(there.observation.ccmWorkload).toMatchObject({ source: 'daemonSet', owner: 'ours' });
    expect(there.observation.nodes.map(({ side }) => side)).toEqual(['target', 'target', 'target']);
    expect(stage.cluster.truth().controllers.service).toMatchObject({
      overlapSeconds: 0,
      moves: 2,
    });
    await stage.migrate('kcm');
    const back = await stage.look();
    expect(back.observation.ccmWorkload.source).toBe('none');
    expect(stage.cluster.truth().controllers.service.overlapSeconds).toBe(0);
  });
});
