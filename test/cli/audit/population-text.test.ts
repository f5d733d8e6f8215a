import { describe, expect, it } from '@jest/globals';
import { runsCsv, runTable } from '../../../cli/audit/population-text.js';
import type { AuditedRun } from '../../../cli/audit/runs-on-record.js';

const RUN: AuditedRun = {
  ...{ workflowId: 'cluster-migration/u', runId: 'r', cluster: 'c1', uid: 'u', target: 'ccm' },
  ...{ outcome: 'done', actor: '@ana', principal: 'ana', reason: '=1+1, "why"\nnot', ticket: '-1' },
  ...{
    startedAtMs: 0,
    endedAtMs: null,
    epochs: [1, 2],
    claimed: [],
    listed: true,
    exported: false,
    file: '',
  },
};

describe('a list of runs', () => {
  it('for spreadsheets has a header, and no cell that is a formula', () => {
    expect(runsCsv([RUN])).toBe(
      'cluster,startedAt,endedAt,target,outcome,actor,principal,reason,ticket,epochs,exported,listed,runId,workflowId,uid,fleet\n' +
        `c1,1970-01-01T00:00:00.000Z,,ccm,done,'@ana,ana,"'=1+1, ""why""\nnot",'-1,1 2,false,true,r,cluster-migration/u,u,\n`,
    );
    expect(runsCsv([])).toMatch(/^cluster,[\w,]+,uid,fleet\n$/);
  });

  it('for people has one line for each, whatever a reason holds', () => {
    const lines = runTable([RUN, { ...RUN, reason: '\u001b[2J\nc2  1970' }]);
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toMatch(/[\p{Cc}]/u);
  });
});
