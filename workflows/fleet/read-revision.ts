import type { RevisionOrder } from '../../activities/fleet-input.js';
import { fieldsOf, readCount, readText } from '../../domain/fleet/read-fields.js';
import type { UnreadableCommand } from '../../domain/fleet/read-fleet-command.js';
import { REVISION_FORMAT } from '../../domain/fleet/revise-fleet.js';
import { misfits } from './refuse-bad-fleet.js';

/**
 * A new plan as sent, or its problem. Its sender has checked the plan itself; what another version writes differently has another
 * format.
 */
export function readRevision(
  sent: unknown,
): { readonly kind: 'revision'; readonly order: RevisionOrder } | UnreadableCommand {
  if (isRevisionOrder(sent)) {
    const [misfit] = misfits(sent.given);
    return misfit === undefined ? { kind: 'revision', order: sent } : unreadable(sent, misfit);
  }
  const { format } = fieldsOf(sent);
  const names = missing(sent).join(', ');
  return unreadable(
    sent,
    format === REVISION_FORMAT
      ? `this version cannot read its ${names}`
      : 'this version cannot read the new plan',
  );
}

function unreadable(sent: unknown, problem: string): UnreadableCommand {
  const { commandId, actor } = fieldsOf(sent);
  const [id, by] = [readText(commandId) ?? '', readText(actor) ?? ''];
  return { kind: 'unreadable', commandId: id, actor: by, problem };
}

function isRevisionOrder(sent: unknown): sent is RevisionOrder {
  return fieldsOf(sent)['format'] === REVISION_FORMAT && missing(sent).length === 0;
}

function missing(sent: unknown): readonly string[] {
  const given = fieldsOf(sent);
  const texts = ['commandId', 'actor', 'reason', 'fleetRun'];
  return [
    ...texts.filter((name) => readText(given[name]) === null),
    ...(readCount(given['revision']) === null ? ['revision'] : []),
    ...(isPlan(given['given']) ? [] : ['plan']),
  ];
}

function isPlan(given: unknown): boolean {
  const { plan, waves, members } = fieldsOf(given);
  const { waves: planned, rows } = fieldsOf(plan);
  return [waves, members, planned, rows].every(Array.isArray);
}
