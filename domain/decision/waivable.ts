/**
 * Which findings a person may let pass, and by which word. What is not named here cannot be waived:
 * everything that guards against two owners (I1, I2), a lost quorum (I4) or an unfenced or unguarded
 * write (I8) stays closed whoever asks.
 */
const WAIVABLE: Readonly<Record<string, 'approve' | 'skip'>> = {
  /** A CCM workload of somebody else: its owner must agree that we take it over. */
  CCM2007: 'approve',
  /** Auto-repair of source machines: the operator says that it is frozen where we cannot see it. */
  CCM2012: 'skip',
  /** In-tree volumes or IPAM mode: the operator says that they are dealt with. */
  CCM2013: 'skip',
};

/** Asked for before the first step that takes cloud loops away from the source side, when policy wants it. */
export const HANDOVER_APPROVAL = 'handover';

export function waivableBy(code: string): 'approve' | 'skip' | 'never' {
  return WAIVABLE[code] ?? 'never';
}
