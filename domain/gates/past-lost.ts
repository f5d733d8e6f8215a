/**
 * Why a gate that compares with the time before the run's first write says nothing: what it knew of that time is gone, and what is
 * now may be what the run has done.
 */
export const PAST_LOST =
  'how it was before the first step is lost with the memory of an earlier guard: look yourself, then skip';
