import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { lintFiles, loadFleets } from '../../config/fleet.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

type Files = Readonly<Record<string, string>>;

const GOOD: Files = {
  'fleet.yaml': FLEET,
  'inventory.yaml': INVENTORY,
  'policy.yaml': POLICY,
  'ccm.yaml': CCM_POD,
};

const NAMES = ['fleet.yaml', 'inventory.yaml', 'policy.yaml'];

describe('loadFleets', () => {
  it('writes out every default and freezes the policy', async () => {
    await withFiles(GOOD, async (folder) => {
      const fleets = await loadFleets(NAMES.map((name) => join(folder, name)));
      expect(fleets).toHaveLength(1);
      const [fleet] = fleets;
      expect(fleet?.policy).toEqual({
        strategy: 'leaderMigration',
        automation: { pause: 'allowed', rollBack: 'refused' },
        metricGates: {
          ...{
            catalogue: 'nodes',
            objects: 'watch',
            except: [],
            everyMs: 15_000,
            unmeasuredMs: 120_000,
          },
          ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
        },
        nodes: { forward: 'replace', rollback: 'inPlace' },
        lock: {
          namespace: 'kube-system',
          name: 'cloud-provider-extraction-migration',
          controllers: ['service', 'route', 'cloud-node-lifecycle'],
        },
        source: { version: '1.29.15', cloudProvider: 'example', kcmImage: 'kcm:1.29' },
        target: { version: '1.30.14', cloudProvider: 'external', kcmImage: 'kcm:1.30' },
        ccm: {
          image: 'ccm:1.30',
          version: '1.30.14',
          deployAs: 'staticPod',
          leaderMigration: 'implemented',
          timings: { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 },
          accessRules: [],
        },
        kcmTimings: { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 },
        etcdMemberRemoval: 'machinesApi',
        autoRepair: 'unknown',
        rollWorkers: { enabled: false, batchSize: 10 },
        disableLeaderMigration: 'never',
        leaderMigrationAfterRollback: 'keep',
        soakSeconds: 900,
        onBreach: 'hold',
        staleHolder: 'hold',
        orphanBudgetMs: 45_000,
        handoverApproval: 'notRequired',
        waivers: [],
      });
      expect(Object.isFrozen(fleet?.policy.ccm.timings)).toBe(true);
      expect(fleet?.timings).toMatchObject({ requestMs: 10_000 });
      expect(fleet?.policy.orphanBudgetMs).toBe(45_000);
      expect(fleet?.materials.ccmManifest).toBe(CCM_POD);
      expect(fleet?.clusters.map((cluster) => cluster.name)).toEqual(['prod-1']);
    });
  });

  it('reads a folder as well as files, and several documents in one file', async () => {
    await withFiles({ 'all.yaml': `${FLEET}---\n${INVENTORY}---\n${POLICY}` }, async (folder) => {
      const { problems, documents } = await lintFiles([folder]);
      expect(documents).toBe(3);
      expect(problems.map((problem) => problem.code)).toEqual(['CCM5016']);
    });
  });

  it('skips other files in a folder', async () => {
    await withFiles(GOOD, async (folder) => {
      expect(await loadFleets([folder])).toHaveLength(1);
    });
  });

  it('refuses files without a fleet', async () => {
    await withFiles(GOOD, async (folder) => {
      const loading = loadFleets([join(folder, 'inventory.yaml')]);
      await expect(loading).rejects.toThrow('no FleetMigration document here (CCM5005)');
    });
  });

  it('finds no problem in the example fleet', async () => {
    const { problems, fleets } = await lintFiles(
      ['fleet', 'inventory', 'policy'].map((name) => `config/examples/single-cluster/${name}.yaml`),
    );
    expect(problems).toEqual([]);
    expect(fleets).toHaveLength(1);
  });
});
