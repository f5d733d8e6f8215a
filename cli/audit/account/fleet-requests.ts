import { MESSAGES } from '../../../config/names.js';
import type { AccountAnswer, AccountRequest } from '../../../config/outputs/account-document.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import type { ApprovalSubject, FleetScope } from '../../../domain/fleet/fleet-command.js';
import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import { member } from '../../read-json.js';
import { counted, someNames } from '../../terminal/wording.js';
import type { FleetBegin } from '../fleet/fleet-begin.js';
import { textIn } from '../history-facts.js';
import { UNANSWERED } from './command-answers.js';
import type { DecodedRun, DecodedSignal } from './decoded-run.js';
import { knownSender, type SentRequest } from './known-sender.js';

type Names = Pick<FleetBegin, 'names' | 'waves'>;

/** A request before it is known whose it is. */
interface Asked extends SentRequest {
  readonly at: string;
  readonly subject: string;
  readonly actor: string;
  readonly ticket: string;
  /** Names it, as its admission does; empty where there is none. */
  readonly id: string;
}

/** What a worker said of a request. */
interface Said {
  readonly verdict: 'accepted' | 'refused';
  readonly principal: string;
  readonly role: string;
  readonly detail: string;
}

/** What is held against what was asked of a fleet. */
export interface FleetRequestSources {
  readonly begins: readonly FleetBegin[];
  readonly trust: AccessPolicy | null;
  /** What the fleet says that became of commands, by their ids. */
  readonly answers: ReadonlyMap<string, AccountAnswer>;
}

/** Everything that was asked of a fleet: its start, commands, new plans, and what ended it from outside. */
export function fleetRequests(
  run: DecodedRun,
  { begins, trust, answers }: FleetRequestSources,
): readonly AccountRequest[] {
  const said = admissionsIn(run);
  const names = begins.at(-1) ?? { names: [], waves: [] };
  const asked = [
    startOf(run, begins[0]?.carried ?? null),
    ...run.signals.flatMap((signal) => askedBy(signal, names)),
    ...run.outsideEnds.map((end) => ({ ...end, ...NOTHING_ELSE })),
  ];
  return asked.map((each) => {
    const record = said.get(each.id) ?? null;
    const { at, verb, subject, actor, reason, ticket } = each;
    return {
      ...{ at, verb, subject, actor, reason, ticket },
      known: knownSender(each, record, trust),
      verdict: record?.verdict ?? 'unsaid',
      detail: record?.detail ?? '',
      answer: answers.get(each.id) ?? UNANSWERED,
    };
  });
}

const NOTHING_ELSE = { subject: '', actor: '', ticket: '', envelope: undefined, id: '' } as const;

function startOf({ started }: DecodedRun, carried: FleetBegin['carried']): Asked {
  const { at, input, server, client } = started;
  const settings = carried === null ? member(input, 'given') : member(input, 'carried');
  return {
    ...{ at, server, client, verb: 'apply', id: '' },
    subject: carried === null ? '' : '(the fleet had ended, and is opened again)',
    ...{ actor: textIn(input, 'actor'), reason: textIn(input, 'reason') },
    ticket: textIn(input, 'ticket'),
    envelope: member(settings, 'authority'),
  };
}

function askedBy(signal: DecodedSignal, names: Names): readonly Asked[] {
  const { at, name, input, server, client } = signal;
  const sent = {
    ...{ at, server, client, actor: textIn(input, 'actor'), reason: textIn(input, 'reason') },
    ...{ ticket: textIn(input, 'ticket'), id: textIn(input, 'commandId') },
  };
  const signed = member(input, 'signed');
  if (name === MESSAGES.fleetRevision) {
    const plan = textIn(member(member(input, 'given'), 'plan'), 'planDigest');
    return [{ ...sent, verb: 'revise', subject: plan, envelope: member(signed, 'statement') }];
  }
  if (name !== MESSAGES.fleetCommand) return [];
  const verb = textIn(member(input, 'order'), 'verb');
  return [{ ...sent, verb, subject: subjectOf(input, names), envelope: signed }];
}

function subjectOf(sent: unknown, names: Names): string {
  const read = readFleetCommand(sent);
  if (read.kind === 'unreadable') return read.problem;
  const { order, scope } = read.command;
  if (order.verb === 'approve' || order.verb === 'reject') return pointText(order.subject, names);
  if (order.verb === 'budget') return counted(order.clusters, 'cluster');
  if (order.verb !== 'set') return scopeText(scope, names);
  return [
    ...(order.inFlight === null ? [] : [`in flight ${String(order.inFlight)}`]),
    ...(order.unproven === null ? [] : [`unproven ${String(order.unproven)}`]),
  ].join(', ');
}

function pointText(subject: ApprovalSubject, names: Names): string {
  switch (subject.kind) {
    case 'limits':
      return 'limits';
    case 'before':
      return `the beginning of wave ${waveName(names, subject.wave)}`;
    case 'after':
      return `the end of wave ${waveName(names, subject.wave)}`;
  }
}

function scopeText(scope: FleetScope, names: Names): string {
  switch (scope.kind) {
    case 'fleet':
      return '';
    case 'wave':
      return `wave ${waveName(names, scope.wave)}`;
    case 'group':
      return scope.group;
    case 'rows':
      return someNames(scope.rows.map((row) => names.names[row] ?? `row ${String(row)}`));
  }
}

function waveName({ waves }: Names, wave: number): string {
  return waves[wave]?.name ?? String(wave + 1);
}

const ADMISSIONS: readonly string[] = ['admitCommand', 'admitRevision'];

function admissionsIn({ activities }: DecodedRun): ReadonlyMap<string, Said> {
  return new Map(
    activities.flatMap(({ name, input, result }) => {
      const kind = textIn(result, 'kind');
      if (!ADMISSIONS.includes(name) || (kind !== 'admitted' && kind !== 'refused')) return [];
      const id = textIn(input, 'commandId') || textIn(member(input, 'command'), 'commandId');
      const said: Said = {
        verdict: kind === 'admitted' ? 'accepted' : 'refused',
        principal: textIn(result, 'principal'),
        // The only thing that is noted of a command.
        role: textIn(result, 'note') === '' ? '' : 'breakGlass',
        detail: textIn(result, 'why'),
      };
      return [[id, said] as const];
    }),
  );
}
