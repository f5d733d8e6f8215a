import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { runEnd } from '../../../cli/audit/run-span.js';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { digestJson } from '../../../domain/digest.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { openChecks, secondOpen } from './fleet/both-verifiers.js';
import { closedFleet } from './fleet/closed-fleet.js';
import { signedFleet } from './fleet/signed-fleet.js';
import { OWN_CODE, sealed, signedExport, TRUST, TRUST_FILE } from './signed-export.js';
import { historyOf, JSON_PLAIN, ONLY, payloads } from './written-run.js';

type Members = { [name: string]: unknown };

const STARTED = 'workflowExecutionStartedEventAttributes';
const EMPTY = { eventId: '0', eventTime: '2026-11-20T10:00:00Z' };
const FORGED = {
  fields: { ticket: { metadata: JSON_PLAIN, data: Buffer.from('"forged"').toString('base64') } },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-first-event-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Other events in the first execution of an export, and each digest as it then is. */
function withEvents(text: string, change: (events: readonly Members[]) => object[]): string {
  const {
    digest: _,
    executions,
    ...rest
  } = JSON.parse(text) as {
    digest: string;
    executions: { history: { events: Members[] } }[];
  };
  const changed = executions.map((execution, index) => {
    if (index > 0) return execution;
    const history = { events: change(execution.history.events) };
    return { ...execution, history, historyDigest: digestJson(history) };
  });
  return sealed({ ...rest, executions: changed });
}

function startOf(events: readonly Members[]): Members {
  return events[0]?.[STARTED] as Members;
}

const FORGERIES: readonly [string, (events: readonly Members[]) => object[], string][] = [
  ['a blank event', (events) => [EMPTY, ...events], 'executions'],
  ['a start that is nothing', (events) => [{ ...EMPTY, [STARTED]: null }, ...events], 'executions'],
  [
    'a blank event and another memo',
    ([start = {}, ...events]) => [
      EMPTY,
      { ...start, [STARTED]: { ...startOf([start]), memo: FORGED } },
      ...events,
    ],
    'signatures',
  ],
  [
    'another start',
    (events) => [{ ...EMPTY, [STARTED]: { ...startOf(events), memo: FORGED } }, ...events],
    'executions',
  ],
  [
    'nothing, and another start at the end',
    (events) => [...events, { ...EMPTY, [STARTED]: { ...startOf(events), memo: FORGED } }],
    'executions',
  ],
];

describe('the first event of an export', () => {
  it.each(FORGERIES)(
    'is its start, for both verifiers of a run with %s before it',
    async (_, change, check) => {
      const text = withEvents(signedExport(), change);
      const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
      const own = checks.flatMap(({ check: name, result }) => (result === 'fail' ? [name] : []));
      expect(own).toEqual(expect.arrayContaining(['executions', check]));
      await writeFile(join(folder, 'run.json'), text);
      const [verdict] = await secondVerdicts(TRUST_FILE, [join(folder, 'run.json')]);
      if (!HAS_SECOND_VERIFIER) return;
      expect(verdict?.checks['executions']?.result).toBe('fail');
      expect(verdict?.checks[check]?.result).toBe('fail');
    },
  );

  it.each(FORGERIES)('and of a fleet with %s before it', async (_, change, check) => {
    const text = withEvents(closedFleet(signedFleet()), change);
    expect(await openChecks(text)).toEqual(expect.arrayContaining(['executions', check]));
    const theirs = await secondOpen(text);
    if (theirs !== null) expect(theirs).toEqual(expect.arrayContaining(['executions', check]));
  });

  it('is its start: who lists runs takes ticket and time of no other', async () => {
    const input = { actor: 'ana', ticket: 'CHG-7' };
    const { events } = historyOf([], { ...ONLY, input });
    const history = { events: [{ ...EMPTY, input: payloads({}) }, ...events] };
    const { ticket, startedAtMs } = await runEnd([{ history }], loadDataConverter(), '');
    expect([ticket, new Date(startedAtMs).toISOString()]).toEqual([
      'CHG-7',
      '2026-11-21T10:00:00.000Z',
    ]);
  });
});
