import type { Word } from './awaited-word.js';
import type { FleetState } from './fleet-state.js';
import type { NeedYou } from './need-you.js';
import type { RowGroup } from './row-groups.js';

type Own = Pick<NeedYou, 'kind' | 'why' | 'who' | 'command' | 'others'>;

/** Runs that go on as soon as a person says a word to them: whatever the fleet itself has asked, nothing else ends that. */
export function wordNeeds(
  fleet: string,
  state: FleetState,
  groups: readonly RowGroup[],
): readonly NeedYou[] {
  return groups.flatMap(({ waitsFor, names, phase, sinceMs }) => {
    if (waitsFor?.kind !== 'person' || waitsFor.word === null) return [];
    const first = names.slice(0, 1).join('');
    const isOne = names.length === 1;
    return [
      {
        ...own(waitsFor.word, isOne, { fleet, first, requester: state.requester }),
        ...{ names, subject: isOne ? first : `${names.length} clusters` },
        // Of a soak the fleet knows when it began, not when it was interrupted.
        sinceMs: phase === 'soaking' ? null : sinceMs,
      },
    ];
  });
}

/** The word is for the run, not for its fleet, so that the command names the cluster alone. */
function own(
  word: Word,
  isOne: boolean,
  {
    fleet,
    first,
    requester,
  }: { readonly fleet: string; readonly first: string; readonly requester: string },
): Own {
  const describe = ['describe', `${fleet}/${first}`] as const;
  return word === 'approval'
    ? {
        kind: 'runApproval',
        why: isOne
          ? 'waits for the approval of its handover'
          : 'wait for the approval of their handovers, each by itself',
        who: `anyone but ${requester}`,
        command: ['approve', first],
        others: [['reject', first], describe],
      }
    : {
        kind: 'runPaused',
        why: isOne ? 'its run is paused by a person' : 'their runs are paused by people',
        who: '',
        command: ['resume', first],
        others: [describe],
      };
}
