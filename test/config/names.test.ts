import { describe, expect, it } from '@jest/globals';
import {
  clusterWorkflowId,
  guardTaskQueue,
  MESSAGES,
  SEARCH_ATTRIBUTES,
  stepTaskQueue,
  WORKFLOW_TASK_QUEUE,
} from '../../config/names.js';
import { answerQuery, breachSignal, commandSignal, statusQuery } from '../../workflows/messages.js';

describe('names on the wire', () => {
  it('names on the wire never change: runs and workers of other versions know them', () => {
    expect(clusterWorkflowId('uid-1')).toBe('cluster-migration/uid-1');
    expect([WORKFLOW_TASK_QUEUE, stepTaskQueue('eu'), guardTaskQueue('eu')]).toEqual([
      'ccm-migrate',
      'ccm-migrate-steps-eu',
      'ccm-migrate-guards-eu',
    ]);
    expect(MESSAGES).toEqual({
      command: 'command',
      breach: 'breach',
      answer: 'answer',
      status: 'status',
    });
  });

  it('names on the wire are those of the message definitions', () => {
    expect([commandSignal, breachSignal, answerQuery, statusQuery].map(({ name }) => name)).toEqual(
      ['command', 'breach', 'answer', 'status'],
    );
  });

  it('search attributes are few enough for SQL visibility: ten keywords, three of any other type', () => {
    const keywords = SEARCH_ATTRIBUTES.filter(({ type }) => type === 'KEYWORD');
    expect(keywords.length).toBeLessThanOrEqual(10);
    expect(SEARCH_ATTRIBUTES.length - keywords.length).toBeLessThanOrEqual(3);
  });
});
