import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { MESSAGES } from '../../config/names.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { breachAnnouncer } from '../../workers/announce-breach.js';

const BREACHES = [{ gate: 'api' }, { gate: 'ownership' }] as unknown as readonly GateVerdict[];

describe('what a guard found', () => {
  it('is told to the execution that goes on, of a run that continued as another', async () => {
    const told: unknown[] = [];
    const client = {
      workflow: {
        getHandle: (workflowId: string, runId: string) => ({
          signal: (name: string, breach: unknown) => {
            told.push([workflowId, runId, name, breach]);
            return Promise.resolve();
          },
        }),
      },
    } as unknown as Parameters<typeof breachAnnouncer>[0];
    const workflowId = 'cluster-migration/uid-1';
    const guard = new MockActivityEnvironment({
      workflowExecution: { workflowId, runId: 'second' },
    });
    await guard.run(() => breachAnnouncer(client)(BREACHES));
    expect(told).toEqual(BREACHES.map((each) => [workflowId, 'second', MESSAGES.breach, each]));
  });
});
