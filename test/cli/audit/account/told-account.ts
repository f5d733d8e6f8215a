import { accountOfRun } from '../../../../cli/audit/account/run-account.js';
import { exportedRun, readExport } from '../../../../cli/audit/runs-on-record.js';
import type { RunAccount } from '../../../../config/outputs/account-document.js';
import type { AccessPolicy } from '../../../../domain/authority/access-policy.js';
import { digestJson } from '../../../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord } from '../../../../domain/evidence/chain.js';
import type {
  EvidenceAuthority,
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
} from '../../../../domain/evidence/record.js';
import { sealed } from '../signed-export.js';
import {
  CONTEXT,
  historyOf,
  payloads,
  type Written,
  type WrittenActivity,
  type WrittenEvent,
} from '../written-run.js';

type Entry = EvidenceRecord['entry'];

const AT = '2026-11-21T10:00:00Z';

/** What a test writes into an export. */
export interface WrittenAccount {
  readonly written?: readonly Written[];
  readonly end?: readonly WrittenEvent[];
  readonly entries?: readonly Entry[];
  /** Input, memo and sender of the start. */
  readonly started?: object;
  readonly trust?: AccessPolicy;
}

/** The export of a run as a test writes it. */
export function writtenExport({
  written = [],
  end = [],
  entries = [],
  started = {},
}: WrittenAccount): string {
  const records: EvidenceRecord[] = [];
  for (const entry of entries) {
    const last = records.at(-1);
    const head = last === undefined ? EMPTY_CHAIN : { records: records.length, hash: last.hash };
    records.push(nextRecord(head, entry));
  }
  const { events } = historyOf(written, undefined, end);
  const [first = {}, ...rest] = events as readonly { [name: string]: object }[];
  const attributes = { ...first['workflowExecutionStartedEventAttributes'], ...started };
  const history = {
    events: [{ ...first, workflowExecutionStartedEventAttributes: attributes }, ...rest],
  };
  const { workflowId, runId, cluster } = CONTEXT;
  return sealed({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AuditExport', exportedAt: AT },
    ...{ tool: 'ccm-migrate 0.1.0', workflowId, runId, cluster: cluster.name },
    ...{ records, head: records.at(-1)?.hash ?? EMPTY_CHAIN.hash },
    executions: [{ runId, buildId: '', history, historyDigest: digestJson(history) }],
  });
}

/** The account of an export. */
async function toldOf(text: string, trust: AccessPolicy | null = null): Promise<RunAccount> {
  const content = readExport('run.json', text);
  const { run } = await exportedRun('run.json', text, content);
  return accountOfRun({ content, run, trust });
}

export function told(given: WrittenAccount): Promise<RunAccount> {
  return toldOf(writtenExport(given), given.trust ?? null);
}

/** A step as it is sent, with how far the evidence went before it and after it. */
export function stepActivity(
  name: string,
  {
    from,
    to,
    epoch = 1,
    node = '',
  }: { from: number; to: number | null; epoch?: number; node?: string },
): WrittenActivity {
  const step = { name, why: `why ${name}`, effect: { kind: 'changeManager', node } };
  const input = { ...CONTEXT, epoch, planned: { step }, evidence: { records: from, hash: '' } };
  const result = { summary: { detail: `did ${name}` }, evidence: { records: to, hash: '' } };
  return { name: 'executeStep', input, result: to === null ? null : result };
}

export function intentEntry(id: string, changes: Partial<EvidenceIntent> = {}): Entry {
  const { workflowId, runId, cluster, actor, reason, planDigest } = CONTEXT;
  const intent: EvidenceIntent = {
    ...{ id, runId, workflowId, cluster: cluster.name, epoch: 1, step: 'startCcm', actor, reason },
    ...{ planDigest, at: AT, verb: 'update', object: `Lease ${id}`, before: 'sha256:1' },
    ...{ after: 'sha256:2', proof: '', ...changes },
  };
  return { kind: 'intent', intent };
}

export function outcomeEntry(
  intentId: string,
  kind: EvidenceOutcome['kind'] = 'applied',
  detail = '',
): Entry {
  return { kind: 'outcome', intentId, outcome: { kind, at: AT, detail } };
}

export function authorityEntry(changes: Partial<EvidenceAuthority>): Entry {
  const { workflowId, runId, cluster, actor } = CONTEXT;
  const authority: EvidenceAuthority = {
    ...{
      runId,
      workflowId,
      cluster: cluster.name,
      at: AT,
      verdict: 'accepted',
      verb: 'apply',
      actor,
    },
    ...{ principal: 'ana', role: 'requester', statement: '', detail: '', ...changes },
  };
  return { kind: 'authority', authority };
}

export function signalEvent(signalName: string, said: object, event: object = {}): Written {
  const attributes = { signalName, identity: 'cli@host', input: payloads(said) };
  return { event: { workflowExecutionSignaledEventAttributes: attributes, ...event } };
}

export function commandEvent(verb: string, said: object = {}, event: object = {}): Written {
  const given = { verb, commandId: verb, actor: 'ben', reason: `reason of ${verb}`, ticket: '' };
  return signalEvent('command', { ...given, arguments: {}, ...said }, event);
}
