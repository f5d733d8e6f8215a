import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenEvidence, openEvidence } from '../../../activities/evidence/open-evidence.js';
import type { EvidenceStore } from '../../../activities/evidence/evidence-store.js';
import { createActivities } from '../../../activities/index.js';
import { manifestPath } from '../../../activities/node-paths.js';
import type { ChainHead } from '../../../domain/evidence/chain.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import {
  DATABASE_PASSWORD,
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../../support/postgres-server.js';
import { type Environment, openEnvironment } from '../environment.js';
import { runByHand } from '../run-by-hand.js';

const why = whyNoPostgres();
/** A run holds for it with CCM4034: test/workflows/evidence.test.ts. */
const LOST = { type: 'EvidenceLost', nonRetryable: true };
const ENABLE: StepEffect = {
  kind: 'changeManager',
  ...{ node: 'cp-1', release: 'mainThenMigration' },
  want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
};

/** What docs/audit.md says of workers that get another place for evidence while a run is open. */
(why === null ? describe : describe.skip)(
  `an open run whose workers keep evidence elsewhere${why === null ? '' : ` (not run: ${why})`}`,
  () => {
    let server: PostgresServer;
    let environment: Environment;
    let folder: string;
    const opened: OpenEvidence[] = [];
    beforeAll(async () => {
      server = await startPostgres();
    });
    beforeEach(async () => {
      environment = await openEnvironment();
      folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-switched-'));
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((each) => each.close()));
      await environment.close();
      await rm(folder, { recursive: true });
    });
    afterAll(() => server.close());

    const kept = async (place: 'files' | 'PostgreSQL'): Promise<EvidenceStore> => {
      const passwordFile = join(folder, 'password');
      await writeFile(passwordFile, `${DATABASE_PASSWORD}\n`, { mode: 0o600 });
      const evidenceDatabase = place === 'files' ? null : { ...server.worker, passwordFile };
      const found = await openEvidence({ evidenceDatabase, stateDirectory: folder }, 'write');
      opened.push(found);
      return found.store;
    };
    const manifest = () => environment.cluster.node('cp-1')?.files.read(manifestPath('kcm'));
    const writes = async () => (await environment.journal()).filter(({ mutating }) => mutating);

    /** The run on a worker with this evidence, with what its history knows of it. */
    const on = (evidence: EvidenceStore, known?: ChainHead) => {
      const activities = createActivities({ ...environment.dependencies, evidence });
      const context = { ...environment.context, ...(known && { evidence: known }) };
      const { ccmManifest } = environment;
      return { ...runByHand({ activities, context, ccmManifest }), activities, context };
    };

    it.each([
      ['files', 'PostgreSQL'],
      ['PostgreSQL', 'files'],
    ] as const)('that was in %s and is in %s now holds, until it is back', async (was, is) => {
      const [first, second] = [await kept(was), await kept(is)];
      const begun = on(first);
      await begun.fence();
      await begun.take({ kind: 'recordBaseline' });
      const known = await first.head(environment.context);
      const [text, written] = [manifest(), await writes()];

      const there = on(second, known);
      await expect(there.fence()).rejects.toMatchObject(LOST);
      await expect(there.take(ENABLE)).rejects.toMatchObject(LOST);
      const close = { ...there.context, epoch: 1, outcome: 'stopped' };
      await expect(there.activities.closeRun(close)).rejects.toMatchObject(LOST);
      expect(manifest()).toEqual(text);
      expect(await writes()).toEqual(written);
      expect(await second.read(environment.context)).toEqual([]);

      const back = on(first, known);
      await back.fence();
      await back.take(ENABLE);
      expect(manifest()).not.toEqual(text);
    });
  },
);
