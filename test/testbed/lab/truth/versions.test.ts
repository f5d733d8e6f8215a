import { describe, expect, it, jest } from '@jest/globals';
import type { CloudController, Disposition } from '../../../../domain/vocabulary.js';
import {
  MIGRATION_FILES,
  migrationFile,
} from '../../../../testbed/simulator/cluster/migration-files.js';
import { foundCluster } from '../../../proven/found-clusters.js';
import { ccm, external, kcm, MIGRATION, node, OWNED } from '../../simulator/environment.js';
import { describeInWholeLab } from '../wanted.js';
import { figure } from './figures.js';
import { onLab } from './on-lab.js';
import { expectSaid } from './product.js';
import { untilSo } from './until.js';

jest.setTimeout(1_800_000);

/** Managers of two versions in one cluster. */
describeInWholeLab('claims about versions are true on real binaries', () => {
  describe('managers of 1.29.15 and 1.30.14 hand over as claimed', () => {
    const lab = onLab({ nodes: 2, from: '1.29.15', to: '1.30.14' });

    it('P11 KCMs 1.29.15 hand over to external KCMs and CCMs 1.30.14 beside API servers 1.30.14', async () => {
      const source = node(kcm({ version: '1.29.15', migration: 'canonical' }));
      const target = node(external(), ccm(), { afterMs: { kcm: 1, ccm: 1 } });
      await lab.environment.lay({ plans: [source, target] });
      await lab.environment.untilOwnedBy('kcm');
      await lab.environment.untilRunning('cp-2', 'ccm', ['cloud-node']);
      lab.environment.removeStale('cp-1', 'kcm');
      await untilSo('it is gone', () => lab.environment.pids('cp-1', 'kcm').length === 0);
      const began = performance.now();
      for (const controller of OWNED) await lab.environment.untilOwnedBy('ccm', controller);
      figure('P11', 'no owner, by expiry, s', (performance.now() - began) / 1000);
    });

    it('P11 KCMs 1.29.15 hand over to external KCMs and CCMs 1.30.14 beside API servers 1.30.14, in place on one node too', async () => {
      const row = foundCluster('P11');
      await lab.environment.lay(row.spec);
      await lab.environment.untilOwnedBy(row.found);
      await expectSaid(lab.product, row);
    });
  });

  describe('managers of 1.27.4 and 1.28.15 differ in names as claimed', () => {
    const lab = onLab({ nodes: 1, from: '1.27.4', to: '1.28.15' });

    /** How this project interprets a running manager's file. */
    async function dispositionsOf(
      manager: 'kcm' | 'ccm',
    ): Promise<Readonly<Record<CloudController, Disposition>> | null> {
      const [process] = (await lab.product.inspect()).nodes[0]?.[manager].processes ?? [];
      const migration = process?.config.leaderMigration;
      return migration?.kind === 'on' ? migration.dispositions : null;
    }

    it.each([
      ['short', '1.27.4', '1.27.4', 'migrated'],
      ['long', '1.27.4', '1.28.15', 'nonMigrated'],
    ] as const)(
      'F7 each binary accepts only the controller names that it registers, short up to 1.27 and long from 1.28: %s names in a KCM %s',
      async (_, version, names, meaning) => {
        const namesOf = (each: string): string =>
          migrationFile(kcm({ version: each, migration: 'canonical' })) ?? '';
        await lab.environment.lay({ plans: [node(null)], leaseGrant: false });
        lab.environment.put('cp-1', 'kcm', kcm({ version, migration: 'canonical' }), {
          [MIGRATION_FILES.kcm]: namesOf(names),
        });
        await lab.environment.untilRefused('cp-1', 'kcm');
        const loops = meaning === 'migrated' ? [] : OWNED;
        await lab.environment.untilRunning('cp-1', 'kcm', [...loops, 'nodeipam']);
        const all = await dispositionsOf('kcm');
        expect(OWNED.map((controller) => all?.[controller])).toEqual(OWNED.map(() => meaning));
      },
    );

    it('F7 each binary accepts only the controller names that it registers, short up to 1.27 and long from 1.28: a KCM 1.27.4 hands over to a CCM 1.28.15', async () => {
      const source = kcm({ version: '1.27.4', migration: 'canonical' });
      const target = ccm({ version: '1.28.15' });
      await lab.environment.lay({ plans: [node(source, target, { afterMs: { ccm: 1 } })] });
      await lab.environment.untilOwnedBy('kcm');
      await lab.environment.untilRunning('cp-1', 'ccm', ['cloud-node']);
      expect(await lab.environment.role('cp-1', 'ccm', MIGRATION)).toBe('waiting');
      lab.environment.removeStale('cp-1', 'kcm');
      for (const controller of OWNED) await lab.environment.untilOwnedBy('ccm', controller);
    });
  });
});
