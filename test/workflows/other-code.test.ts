import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { viewRun, type RunView } from '../../cli/runs/run-view.js';
import { sendCommand } from '../../cli/runs/send-command.js';
import { createTheme } from '../../cli/terminal/theme.js';
import { stateMark } from '../../cli/screens/header.js';
import { modelCluster } from './support/model-cluster.js';
import { eventually, openLab, tell, until, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
let otherCode: string;
beforeAll(async () => {
  lab = await openLab();
  const workflowsPath = fileURLToPath(new URL('./support/other-workflows.ts', import.meta.url));
  const logger = new DefaultLogger('ERROR');
  ({ code: otherCode } = await bundleWorkflowCode({ workflowsPath, logger }));
}, 60_000);
afterAll(() => lab.close());

const THEME = createTheme({ color: false, ascii: false });

describe('a worker with other code than the run was recorded with', () => {
  it("a worker with other code than the run's is distinguished from no worker, before and after it failed a task; the right one resumes the run", async () => {
    const handle = await lab.start(modelCluster('c-other-code'));
    const { client } = lab.environment;
    const view = (): Promise<RunView> => viewRun(client, handle.workflowId);
    await lab.withWorker(async () => {
      await tell(handle, 'pause');
      await until(handle, ({ pause }) => pause === 'paused');
    });
    const silent = await view();
    expect(silent).toMatchObject({ status: null, silence: { code: 'CCM4018' } });
    expect(stateMark(silent, THEME)).toBe('⚠ NoWorker');

    await lab.withWorker(
      async () => {
        const other = await eventually(view, ({ silence }) => silence?.code === 'CCM4029');
        expect(other.silence?.detail).toContain('TMPRL1100');
        expect(stateMark(other, THEME)).toBe('✖ OtherCode');
        const who = { actor: 'ben@corp', reason: 'test', ticket: '' };
        const sent = await sendCommand(
          client,
          handle.workflowId,
          { verb: 'stop', arguments: {}, ...who },
          { deadlineMs: Date.now(), signal: new AbortController().signal },
        );
        expect(sent).toMatchObject({
          answer: { state: 'unanswered', detail: expect.stringContaining('CCM4029') },
        });
      },
      undefined,
      { code: otherCode },
    );
    // Its failed task is in the history, so this is known although no worker answers any more.
    expect(await view()).toMatchObject({ silence: { code: 'CCM4029' } });

    await lab.withWorker(async () => {
      expect(await handle.result()).toMatchObject({ kind: 'stopped' });
    });
  }, 100_000);
});
