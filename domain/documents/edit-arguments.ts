import type { Argument } from './arguments.js';
import { parseArguments } from './arguments.js';
import type { Path, YamlEdit } from './yaml-edit.js';

/** An element of `command` or `args`, with its position. */
interface Word {
  readonly text: string;
  readonly path: Path;
}

/** Flags to set and to remove, by name without dashes. */
interface ArgumentEdits {
  readonly setArguments?: Readonly<Record<string, string>>;
  readonly removeArguments?: readonly string[];
}

/** Edits flags in `command` and `args`, in either spelling, where they are. */
export function argumentEdits(
  edit: YamlEdit,
  container: Path,
  { setArguments = {}, removeArguments = [] }: ArgumentEdits,
): void {
  for (const name of removeArguments) removeAll(edit, container, named(edit, container, name));
  for (const [name, value] of Object.entries(setArguments)) {
    const [first, ...rest] = named(edit, container, name);
    if (first === undefined) {
      edit.append(flagList(edit, container), `--${name}=${value}`);
      continue;
    }
    removeAll(edit, container, rest);
    if ((first.value ?? 'true') !== value) replace(edit, container, first, `--${name}=${value}`);
  }
}

function named(edit: YamlEdit, container: Path, name: string): readonly Argument[] {
  const found = parseArguments(words(edit, container).map(({ text }) => text));
  return found.filter((argument) => argument.name === name);
}

function words(edit: YamlEdit, container: Path): readonly Word[] {
  return ['command', 'args'].flatMap((key) => {
    const list = [...container, key];
    return Array.from({ length: edit.length(list) }, (_, index): Word => {
      const path = [...list, index];
      return { text: String(edit.get(path)), path };
    });
  });
}

function replace(edit: YamlEdit, container: Path, argument: Argument, text: string): void {
  const places = wordsOf(edit, container, argument).map(({ path }, index) => ({ path, index }));
  for (const { path, index } of places.toReversed()) {
    if (index === 0) edit.set(path, text);
    else edit.remove(path, container.length + 1);
  }
}

/** From the end, so that the positions of those still to be removed stay valid. */
function removeAll(edit: YamlEdit, container: Path, found: readonly Argument[]): void {
  const gone = found.flatMap((argument) => wordsOf(edit, container, argument));
  for (const { path } of gone.toReversed()) edit.remove(path, container.length);
}

function wordsOf(edit: YamlEdit, container: Path, { index, tokens }: Argument): readonly Word[] {
  return words(edit, container).slice(index, index + tokens);
}

/** New flags go where the existing ones are: `args` unless all flags stand in `command`. */
function flagList(edit: YamlEdit, container: Path): Path {
  const inArgs = edit.length([...container, 'args']) > 0;
  return [
    ...container,
    inArgs || edit.length([...container, 'command']) === 0 ? 'args' : 'command',
  ];
}
