import type { Verb } from './verb.js';

/** Verbs about the tool itself. */
export const SET_UP_VERBS: readonly Verb[] = [
  {
    name: 'version',
    about: 'Prints the version of this tool and of what it runs on.',
    examples: ['ccm-migrate version', 'ccm-migrate version -o json'],
    arguments: [],
    flags: [],
    endings: ['reached'],
    load: async () => (await import('../commands/version.js')).version,
  },
  {
    name: 'completion',
    about: 'Prints a completion script for a shell.',
    examples: ['source <(ccm-migrate completion bash)'],
    arguments: [{ syntax: '<shell>', about: 'bash, zsh or fish' }],
    flags: [],
    endings: ['reached', 'usage'],
    load: async () => (await import('../commands/completion.js')).completion,
  },
];
