import { describe, expect, it } from '@jest/globals';
import {
  clusterWorkflowId,
  FLEET_MIGRATION,
  FLEET_TASK_QUEUE,
  fleetWorkflowId,
  guardTaskQueue,
  MESSAGES,
  SEARCH_ATTRIBUTES,
  stepTaskQueue,
  WORKFLOW_TASK_QUEUE,
} from '../../config/names.js';
import {
  answerQuery,
  breachSignal,
  commandSignal,
  orderSignal,
  statusQuery,
} from '../../workflows/messages.js';
import {
  fleetAnswerQuery,
  fleetCommandSignal,
  fleetRevisionSignal,
  fleetStateQuery,
  reportSignal,
} from '../../workflows/messages/fleet-messages.js';

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
      order: 'order',
      report: 'report',
      fleetCommand: 'fleetCommand',
      fleetRevision: 'fleetRevision',
      fleetAnswer: 'fleetAnswer',
      fleetState: 'fleetState',
    });
    expect([FLEET_MIGRATION, FLEET_TASK_QUEUE, fleetWorkflowId('eu')]).toEqual([
      'fleetMigration',
      'ccm-migrate-fleets',
      'fleet-migration/eu',
    ]);
  });

  it('names on the wire are those of the message definitions', () => {
    const ofRuns = [commandSignal, breachSignal, answerQuery, statusQuery, orderSignal];
    const toFleets = [reportSignal, fleetCommandSignal, fleetRevisionSignal];
    const ofFleets = [...toFleets, fleetAnswerQuery, fleetStateQuery];
    expect([...ofRuns, ...ofFleets].map(({ name }) => name).sort()).toEqual(
      Object.keys(MESSAGES).sort(),
    );
  });

  it('search attributes are few enough for SQL visibility: ten keywords, three of any other type', () => {
    const keywords = SEARCH_ATTRIBUTES.filter(({ type }) => type === 'KEYWORD');
    expect(keywords.length).toBeLessThanOrEqual(10);
    expect(SEARCH_ATTRIBUTES.length - keywords.length).toBeLessThanOrEqual(3);
  });
});
