/** Words of a command line behind the name of the program. */
export type CommandWords = readonly [verb: string, ...rest: readonly string[]];

/** Something that goes on only when a person acts. */
export interface NeedYou {
  readonly kind:
    | 'failed'
    | 'held'
    /** Of one cluster, or several: a handover to be approved; a run that was paused by itself. */
    | 'runApproval'
    | 'runPaused'
    | 'group'
    | 'budget'
    | 'short'
    | 'canaries'
    | 'rejected'
    | 'approval'
    | 'limits'
    | 'deadline'
    | 'frozen'
    | 'paused';
  /** Null where the fleet does not record it. */
  readonly sinceMs: number | null;
  /** A cluster, a wave, a group; the fleet's name for all of it. */
  readonly subject: string;
  readonly why: string;
  /** Who may act, where not everyone may. */
  readonly who: string;
  /** Clusters concerned, where these are few of the fleet. */
  readonly names: readonly string[];
  /** Can be typed as it stands. */
  readonly command: CommandWords;
  readonly others: readonly CommandWords[];
}
