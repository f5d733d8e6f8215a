import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { viewRun, type RunView } from '../../cli/runs/run-view.js';
import { makeCurrent, versioned } from './support/deployments.js';
import { modelCluster } from './support/model-cluster.js';
import {
  eventually,
  type MigrationHandle,
  openLab,
  tell,
  until,
  type Build,
  type MigrationLab,
} from './support/migration-run.js';

const DEPLOYMENT = `ccm-migrate-${randomUUID()}`;
let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const withBuild = <Result>(
  deployment: Build['deployment'],
  story: () => Promise<Result>,
): Promise<Result> => lab.withWorker(story, undefined, { deployment });

const silenceOf = ({ workflowId }: MigrationHandle, detail: RegExp): Promise<RunView> =>
  eventually(
    () => viewRun(lab.environment.client, workflowId),
    ({ silence }) => silence?.code === 'CCM4018' && detail.test(silence.detail),
  );

describe('an upgrade that was left halfway', () => {
  it('is told from no worker at all: which build the server keeps the run for, which one polls, and the command that lets it go on', async () => {
    const { client } = lab.environment;
    const [older, newer] = [versioned(DEPLOYMENT, 'older'), versioned(DEPLOYMENT, 'newer')];
    const handle = await withBuild(older, async () => {
      const started = await lab.start(modelCluster('c-halfway'));
      await silenceOf(started, /^no build is current, and build older waits/);
      await makeCurrent(client, DEPLOYMENT, 'older');
      await tell(started, 'pause');
      await until(started, ({ pause }) => pause === 'paused');
      return started;
    });
    await withBuild(newer, async () => {
      const { silence } = await silenceOf(handle, /waits/);
      expect(silence?.detail).toBe(
        `the server keeps it for build older, whose workers do not answer, and build newer waits to be current: temporal worker deployment set-current-version --deployment-name ${DEPLOYMENT} --build-id newer`,
      );
      await makeCurrent(client, DEPLOYMENT, 'newer');
      await tell(handle, 'stop');
      expect(await handle.result()).toMatchObject({ kind: 'stopped' });
    });
  }, 120_000);
});
