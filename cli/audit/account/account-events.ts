import type { AccountEvent } from '../../../config/outputs/account-document.js';
import { holdsRun, VERDICTS } from '../../../domain/gates/verdicts.js';
import { readVerdict } from '../../../domain/run/read-verdict.js';
import { MESSAGES } from '../../../config/names.js';
import { counted, shownDuration } from '../../terminal/wording.js';
import { member } from '../../read-json.js';
import { textIn } from '../history-facts.js';
import { failureText } from './account-steps.js';
import type { DecodedActivity, DecodedRun } from './decoded-run.js';

/**
 * What held a run and what let it go on: gates, findings, approvals and waivers as they came into force, changes of direction. Told
 * where it changes, and not again while it lasts.
 */
export function accountEvents({ activities, signals }: DecodedRun): readonly AccountEvent[] {
  const memory = newMemory();
  return [
    ...activities.flatMap((activity) => [
      ...atBegin(activity, memory),
      ...atEnd(activity, memory).map((event) => ({ ...event, at: activity.endedAt })),
    ]),
    ...signals.filter(({ name }) => name === MESSAGES.breach).map(breachOf),
  ];
}

/** What was told last, so that it is told once. */
interface Memory {
  direction: string;
  decision: string;
  readonly inForce: Set<string>;
}

function newMemory(): Memory {
  return { direction: '', decision: '', inForce: new Set() };
}

function breachOf({ at, input }: { at: string; input: unknown }): AccountEvent {
  const { gate, code, detail } = readVerdict(input);
  return { at, kind: 'breach', subject: gate, code, detail };
}

function atBegin({ at, name, input }: DecodedActivity, memory: Memory): readonly AccountEvent[] {
  const decide = member(input, 'decide');
  const acknowledged = name === 'takeFence' && member(input, 'acknowledge') === true;
  return [
    ...turned(at, input, memory),
    ...listIn(decide, 'approvals').map((each) => ({
      ...{ at, kind: 'approved' as const, code: '', detail: '' },
      subject: typeof each === 'string' ? each : '',
    })),
    ...listIn(decide, 'waivers').map((each) => waived(at, each)),
    ...listIn(decide, 'waivedGates').map((each) => waived(at, each)),
    ...(acknowledged
      ? [
          {
            at,
            kind: 'acknowledged' as const,
            subject: 'breaches',
            code: '',
            detail: textIn(input, 'actor'),
          },
        ]
      : []),
  ].filter((event) => isNew(event, memory));
}

/** Waivers and approvals are repeated with each decision that they are in force for. */
function isNew({ kind, subject, code, detail, at }: AccountEvent, { inForce }: Memory): boolean {
  const lasts = kind === 'approved' || kind === 'waived';
  const key = JSON.stringify([kind, subject, code, detail, lasts ? '' : at]);
  if (inForce.has(key)) return false;
  inForce.add(key);
  return true;
}

function waived(at: string, waiver: unknown): AccountEvent {
  const code = textIn(waiver, 'code');
  const by = textIn(waiver, 'actor') === '' ? '' : byOf(waiver).detail;
  return { at, kind: 'waived', subject: textIn(waiver, 'gate'), code, detail: by };
}

function byOf(value: unknown): Pick<AccountEvent, 'code' | 'detail'> {
  const [actor, reason] = [textIn(value, 'actor'), textIn(value, 'reason')];
  return { code: '', detail: reason === '' ? actor : `${actor}: ${reason}` };
}

/** The first direction is that of the start, which is told by itself. */
function turned(at: string, input: unknown, memory: Memory): readonly AccountEvent[] {
  const target = textIn(member(input, 'decide'), 'target');
  if (target === '' || target === memory.direction) return [];
  const isFirst = memory.direction === '';
  memory.direction = target;
  memory.inForce.clear();
  return isFirst ? [] : [{ at, kind: 'turned', subject: target, ...byOf(input) }];
}

type Untimed = Omit<AccountEvent, 'at'>;

function atEnd(activity: DecodedActivity, memory: Memory): readonly Untimed[] {
  const { name, result, failure, ended } = activity;
  const verdicts = [...listIn(result, 'verdicts'), ...listIn(failure?.details, 'verdicts')];
  const isStep = name === 'executeStep' || name === 'takeFence' || name === 'closeRun';
  return [
    ...verdicts.flatMap(holdBy),
    ...(name === 'soak' && ended === 'well' ? soakEnd(result, verdicts) : []),
    // A step that failed is told as a step. A guard that ends with its run is cancelled, and that is well.
    ...(failure === null || isStep || name === 'guardCluster'
      ? []
      : [{ kind: 'failed' as const, subject: name, code: '', detail: failureText(failure) }]),
    ...decided(member(result, 'decision'), memory),
  ];
}

function holdBy(verdict: unknown): readonly Untimed[] {
  const said = VERDICTS.find((each) => each === textIn(verdict, 'verdict'));
  const noted = member(verdict, 'noted') === true ? { noted: true as const } : {};
  if (said === undefined || !holdsRun({ verdict: said, ...noted })) return [];
  const [subject, code] = [textIn(verdict, 'gate'), textIn(verdict, 'code')];
  return [{ kind: 'held', subject, code, detail: `${said}: ${textIn(verdict, 'detail')}` }];
}

function soakEnd(result: unknown, verdicts: readonly unknown[]): readonly Untimed[] {
  const soaked = member(member(result, 'progress'), 'soakedMs');
  if (member(result, 'complete') !== true || typeof soaked !== 'number') return [];
  const gates = `${counted(verdicts.length, 'gate')} measured`;
  return [
    { kind: 'passed', subject: 'soak', code: '', detail: `${shownDuration(soaked)}, ${gates}` },
  ];
}

/** Why no step may follow, or which approval is missing before it. */
function decided(decision: unknown, memory: Memory): readonly Untimed[] {
  const next = member(decision, 'next');
  const signature = textIn(decision, 'signature');
  if (next === undefined || signature === memory.decision) return [];
  memory.decision = signature;
  const approval = textIn(member(next, 'planned'), 'approval');
  if (approval !== '') return [{ kind: 'waits', subject: approval, code: '', detail: '' }];
  if (textIn(next, 'kind') !== 'blocked') return [];
  return listIn(next, 'findings').map((finding) => ({
    ...{ kind: 'blocked' as const, code: textIn(finding, 'code') },
    ...{ subject: textIn(finding, 'subject'), detail: textIn(finding, 'seen') },
  }));
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = member(value, name);
  return Array.isArray(list) ? list : [];
}
