import { ACT_VERBS } from './act.js';
import { AUTHOR_VERBS } from './author.js';
import { EVIDENCE_VERBS } from './evidence.js';
import { LOOK_VERBS } from './look.js';
import { SERVE_VERBS } from './serve.js';
import { SET_UP_VERBS } from './set-up.js';
import type { Verb } from './verb.js';

/** All verbs, in the groups and the order in which help shows them. */
export const VERB_GROUPS: readonly { readonly title: string; readonly verbs: readonly Verb[] }[] = [
  { title: 'Write', verbs: AUTHOR_VERBS },
  { title: 'Look', verbs: LOOK_VERBS },
  { title: 'Act', verbs: ACT_VERBS },
  { title: 'Prove', verbs: EVIDENCE_VERBS },
  { title: 'Run', verbs: SERVE_VERBS },
  { title: 'Set up', verbs: SET_UP_VERBS },
];

export const ALL_VERBS: readonly Verb[] = VERB_GROUPS.flatMap((group) => group.verbs);
