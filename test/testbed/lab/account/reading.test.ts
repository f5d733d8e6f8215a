import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileTail } from '../../../../testbed/lab/truth/file-tail.js';
import { lockHoldingPeriods } from '../../../../testbed/lab/truth/holding-periods.js';
import { TruthKeeper } from '../../../../testbed/lab/truth/truth-keeper.js';
import { readManagerMetrics } from '../../../../testbed/lab/process-monitor/reported-loops.js';
import { at, emptied, held, LOCK } from './given.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-account-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the tail of a growing file is read once', () => {
  it('the tail of a file returns each line once, and half a line once it is complete', () => {
    const path = join(folder, 'log');
    const tail = new FileTail(path);
    expect(tail.newLines()).toEqual([]);
    writeFileSync(path, 'one\ntwo ü');
    expect(tail.newLines()).toEqual(['one']);
    appendFileSync(path, 'ber\n\nthree\n');
    expect(tail.newLines()).toEqual(['two über', 'three']);
    expect(tail.newLines()).toEqual([]);
  });

  it('the tail of a file rejects a file that has become shorter', () => {
    const path = join(folder, 'log');
    writeFileSync(path, 'one\n');
    const tail = new FileTail(path);
    tail.newLines();
    writeFileSync(path, '');
    expect(() => tail.newLines()).toThrow('has shrunk');
  });
});

describe('holding periods of a Lease follow from its writes', () => {
  it('a holding period lasts over renewals and ends with the write that takes the Lease away', () => {
    const holdingPeriods = lockHoldingPeriods([
      held(LOCK, 'cp-1_a', 1),
      held(LOCK, '', 2, { holder: null }),
      held(LOCK, 'cp-1_a', 3),
      emptied(LOCK, 5),
      held(LOCK, 'cp-2_b', 6),
    ]);
    expect(
      holdingPeriods.map(({ identity, fromMs, lastWriteMs, toMs }) => [
        identity,
        fromMs,
        lastWriteMs,
        toMs,
      ]),
    ).toEqual([
      ['cp-1_a', at(1), at(3), at(5)],
      ['cp-2_b', at(6), at(6), null],
    ]);
  });

  it('holding periods follow the order in which writes took effect, whatever the order of the log', () => {
    const holdingPeriods = lockHoldingPeriods([held(LOCK, 'cp-2_b', 6), held(LOCK, 'cp-1_a', 1)]);
    expect(holdingPeriods.map(({ identity }) => identity)).toEqual(['cp-1_a', 'cp-2_b']);
  });
});

describe('the recorder of the truth does not outlive its monitor', () => {
  it('the recorder of the truth fails when the process monitor has stopped', () => {
    const monitorFile = join(folder, 'witness.ndjson');
    const keeper = new TruthKeeper({
      ...{ cluster: 'lab-1', auditLog: join(folder, 'audit.log'), monitorFile },
      ...{ journal: () => [], hosts: () => new Map(), users: ['kubernetes-admin'] },
    });
    expect(keeper.truth(at(0)).contradictions).toEqual([
      'processes have not been monitored since its start',
    ]);
    appendFileSync(monitorFile, `${JSON.stringify({ kind: 'observing', atMs: at(10) })}\n`);
    expect(keeper.truth(at(11))).toMatchObject({ nowMs: at(10), contradictions: [] });
    expect(keeper.truth(at(20)).contradictions).toEqual([
      'processes have not been monitored since 2026-01-01T00:00:10.000Z',
    ]);
  });
});

describe('the metrics of a manager are read', () => {
  it('the metrics of a manager show what is set to one', () => {
    const text = [
      '# HELP running_managed_controllers [ALPHA] …',
      'running_managed_controllers{manager="cloud-controller-manager",name="service"} 1',
      'running_managed_controllers{manager="cloud-controller-manager",name="route"} 0',
      'leader_election_master_status{name="cloud-controller-manager"} 1',
      'leader_election_master_status{name="cloud-provider-extraction-migration"} 0',
      'other{name="service"} 1',
      '',
    ].join('\n');
    expect(readManagerMetrics(text)).toEqual({
      running: ['service'],
      leads: ['cloud-controller-manager'],
    });
  });
});
