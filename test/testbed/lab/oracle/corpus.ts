import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { OracleAnswer } from '../../../../testbed/lab/oracle/ask-oracle.js';
import { COMPONENTS } from '../../../../domain/managers/controller-names.js';
import { ASKED_NAMES } from './compare.js';
import { writtenFile } from './written-files.js';

/** One file, and the answers of the binaries of these minors: most agree. */
export interface CorpusEntry {
  readonly text: string;
  readonly answers: readonly { readonly minors: readonly number[]; readonly said: Said }[];
}

/** `refused`, or the leader name and for each component a letter (`m`, `n`, `u`) for each name that is checked. */
type Said = 'refused' | { readonly leaderName: string; readonly [component: string]: string };

const FILE = join(import.meta.dirname, 'corpus.jsonl');
const SEED = 20_261_121;
const READ = 150;
const REFUSED = 150;

export function readCorpus(): readonly CorpusEntry[] {
  return readFileSync(FILE, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CorpusEntry);
}

export function writeCorpus(entries: readonly CorpusEntry[]): void {
  writeFileSync(FILE, `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
}

/** Always the same texts, from which the corpus is chosen. */
export function candidates(): readonly string[] {
  return [...new Set(fc.sample(writtenFile, { seed: SEED, numRuns: 4000 }))];
}

/** As many that a binary reads as that it refuses; `answers` are those to `texts`. */
export function chosen(
  texts: readonly string[],
  answers: readonly OracleAnswer[],
): readonly string[] {
  const isRead = (nth: number): boolean => answers[nth] !== undefined && !('error' in answers[nth]);
  return [
    ...texts.filter((_, nth) => isRead(nth)).slice(0, READ),
    ...texts.filter((_, nth) => !isRead(nth)).slice(0, REFUSED),
  ];
}

/** Answers to one file, equal ones grouped. Error texts differ from one library to the next and are left out. */
export function grouped(
  text: string,
  answers: readonly (readonly [number, OracleAnswer])[],
): CorpusEntry {
  const groups = new Map<string, { minors: number[]; said: Said }>();
  for (const [minor, answer] of answers) {
    const said = shortened(answer);
    const key = JSON.stringify(said);
    const group = groups.get(key) ?? { minors: [], said };
    group.minors.push(minor);
    groups.set(key, group);
  }
  return { text, answers: [...groups.values()] };
}

const LETTERS = { migrated: 'm', nonMigrated: 'n', unowned: 'u' } as const;

function shortened(answer: OracleAnswer): Said {
  if ('error' in answer) return 'refused';
  const letters = (component: string): string =>
    ASKED_NAMES.map((name) => letterOf(answer.dispositions[component]?.[name])).join('');
  const { kcm, ccm } = COMPONENTS;
  return { leaderName: answer.leaderName, [kcm]: letters(kcm), [ccm]: letters(ccm) };
}

function letterOf(word: string | undefined): string {
  const found = Object.entries(LETTERS).find(([disposition]) => disposition === word);
  return found?.[1] ?? '?';
}

/** The full answer again. */
export function answerOf(said: Said): OracleAnswer {
  if (said === 'refused') return { error: 'refused' };
  const words = (component: string): Record<string, string> =>
    Object.fromEntries(
      ASKED_NAMES.map((name, nth) => {
        const letter = said[component]?.[nth];
        const found = Object.entries(LETTERS).find(([, each]) => each === letter);
        return [name, found?.[0] ?? ''];
      }),
    );
  const components = Object.values(COMPONENTS);
  return {
    leaderName: said.leaderName,
    dispositions: Object.fromEntries(components.map((each) => [each, words(each)])),
  };
}
