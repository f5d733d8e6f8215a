import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenEvidence, openEvidence } from '../../../activities/evidence/open-evidence.js';
import { createActivities } from '../../../activities/index.js';
import { manifestPath } from '../../../activities/node-paths.js';
import { type ChainHead, verifyChain } from '../../../domain/evidence/chain.js';
import {
  DATABASE_PASSWORD,
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../../support/postgres-server.js';
import { enabling } from '../../support/planned.js';
import { type Environment, openEnvironment } from '../environment.js';
import { type RunByHand, runByHand } from '../run-by-hand.js';

const why = whyNoPostgres();

(why === null ? describe : describe.skip)(
  `two workers with one database of evidence${why === null ? '' : ` (not run: ${why})`}`,
  () => {
    let server: PostgresServer;
    let environment: Environment;
    let folder: string;
    const workers: OpenEvidence[] = [];
    beforeAll(async () => {
      [server, environment] = await Promise.all([startPostgres(), openEnvironment()]);
      folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-shared-'));
      const passwordFile = join(folder, 'password');
      await writeFile(passwordFile, `${DATABASE_PASSWORD}\n`, { mode: 0o600 });
      for (const host of ['host-1', 'host-2']) {
        const evidenceDatabase = { ...server.worker, passwordFile };
        const stateDirectory = join(folder, host);
        workers.push(await openEvidence({ evidenceDatabase, stateDirectory }, 'write'));
      }
    });
    afterAll(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all([server.close(), environment.close()]);
      await rm(folder, { recursive: true });
    });

    /** The run as this worker continues it, with what the history knows of its evidence by then. */
    function onWorker(index: number, evidence?: ChainHead): RunByHand {
      const store = workers[index]?.store;
      if (store === undefined) throw new Error('no such worker');
      const activities = createActivities({ ...environment.dependencies, evidence: store });
      const context = { ...environment.context, ...(evidence === undefined ? {} : { evidence }) };
      return runByHand({ activities, context, ccmManifest: environment.ccmManifest });
    }

    it('a run that moves between hosts has one chain, and continues wherever it is', async () => {
      const first = onWorker(0);
      const fenced = await first.fence();
      await first.take({ kind: 'recordBaseline' });
      const moved = onWorker(1, fenced.evidence);
      const again = await moved.fence();
      await moved.take(enabling('cp-2'));
      const back = onWorker(0, again.evidence);
      await back.fence();
      await back.take(enabling('cp-3'));
      const [one, other] = await Promise.all(
        workers.map(({ store }) => store.read(environment.context)),
      );
      expect(other).toEqual(one);
      expect(verifyChain(one ?? []).kind).toBe('intact');
      const steps = (one ?? []).flatMap(({ entry }) =>
        entry.kind === 'intent' && entry.intent.verb === 'writeFile' ? [entry.intent.object] : [],
      );
      expect(steps.join()).toMatch(/cp-2:.*cp-3:/);
      expect(await readdir(folder)).toEqual(['password']);
    });

    it('where the database lost what the history knows, no worker changes anything', async () => {
      const store = workers[0]?.store;
      const known = await store?.head(environment.context);
      await server.asOwner(
        'DELETE FROM evidence.records WHERE sequence = (SELECT max(sequence) FROM evidence.records)',
      );
      const manifest = () => environment.cluster.node('cp-1')?.files.read(manifestPath('kcm'));
      const before = manifest();
      for (const index of [0, 1]) {
        const run = onWorker(index, known);
        await expect(run.fence()).rejects.toMatchObject({ type: 'EvidenceLost' });
        await expect(run.take(enabling('cp-1'))).rejects.toMatchObject({ type: 'EvidenceLost' });
      }
      expect(manifest()).toEqual(before);
    });
  },
);
