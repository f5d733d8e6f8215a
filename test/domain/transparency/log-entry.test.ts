import { describe, expect, it } from '@jest/globals';
import {
  entryText,
  type ExecutionEntry,
  readLogEntry,
} from '../../../domain/transparency/log-entry.js';
import { executionEntries, loggedRuns } from '../../../domain/transparency/logged-runs.js';

const AT = '2026-11-27T02:00:00.000Z';
const ENTRY: ExecutionEntry = {
  ...{ kind: 'execution', at: AT, cluster: 'prod-1', workflowId: 'cluster-migration/uid-1' },
  ...{ runId: 'run-1', firstRunId: 'run-1', startedAt: '2026-11-27T01:00:00.5Z', ended: 'open' },
  ...{ events: 7, history: 'sha256:00' },
};
const TEXT = entryText(ENTRY);
const QUIET = { kind: 'quiet', at: AT } as const;

describe('an entry of a log', () => {
  it('is read as it was written', () => {
    expect(readLogEntry(TEXT)).toEqual(ENTRY);
    expect(readLogEntry(entryText(QUIET))).toEqual(QUIET);
  });

  it.each<[string, string]>([
    ['no JSON', TEXT.slice(1)],
    ['no object', '7'],
    ['null', 'null'],
    ['another spelling', TEXT.replace(':7', ': 7')],
    ['another kind', TEXT.replace('"execution"', '"later"')],
    ['a member too many', TEXT.replace('{', '{"a":1,')],
    ['a member too few', TEXT.replace('"cluster":"prod-1",', '')],
    ['a number for a text', TEXT.replace('"prod-1"', '1')],
    ['no events', TEXT.replace(':7', ':0')],
    ['half an event', TEXT.replace(':7', ':7.5')],
    ['no time', TEXT.replace(AT, 'today')],
    ['a time that is a number', TEXT.replace(`"${AT}"`, '7')],
    ['a quiet entry with more', entryText(QUIET).replace('}', ',"x":1}')],
    ['a quiet entry with the members of another', TEXT.replace('"execution"', '"quiet"')],
  ])('is not read from %s', (_case, text) => {
    expect(readLogEntry(text)).toBeNull();
  });
});

describe('the runs of a log', () => {
  const next = { ...ENTRY, runId: 'run-2', startedAt: '2026-11-27T01:30:00Z' };
  const other = { ...ENTRY, runId: 'run-9', firstRunId: 'run-9', workflowId: 'w', cluster: 'c' };

  it('are told from all of their executions, by the start of the first', () => {
    const { workflowId, cluster, startedAt } = ENTRY;
    const one = { workflowId, runId: 'run-1', cluster, startedAt };
    const two = { ...one, workflowId: 'w', runId: 'run-9', cluster: 'c' };
    expect(loggedRuns([QUIET, ENTRY, other, next])).toEqual([one, two]);
    expect(loggedRuns([next, ENTRY])).toEqual([one]);
  });

  it('have each of their entries, oldest first', () => {
    const later = { ...ENTRY, events: 9 };
    const found = executionEntries([ENTRY, QUIET, next, later]);
    expect([...found]).toEqual([
      ['run-1', [ENTRY, later]],
      ['run-2', [next]],
    ]);
  });
});
