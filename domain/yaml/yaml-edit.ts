import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { canonicalJson } from '../digest.js';
import { keepLayout } from './keep-layout.js';

export type Path = readonly (string | number)[];

/**
 * One YAML document under edit. Every line that no edit touched stays verbatim. Accepts only texts that were read without
 * problems.
 */
export class YamlEdit {
  readonly #first: string;
  readonly #document: Document;
  /** The text after the document. */
  readonly #tail: string;
  #changed = false;

  constructor(text: string) {
    this.#first = firstDocument(text);
    this.#document = parsed(this.#first);
    this.#tail = text.slice(this.#first.length);
  }

  text(): string {
    return `${this.#changed ? this.#printed() : this.#first}${this.#tail}`;
  }

  /** Uses the printer's layout only where keeping the original one would change the meaning. */
  #printed(): string {
    const style = styleOf(this.#first);
    const edited = this.#document.toString(style);
    const kept = keepLayout(this.#first, parsed(this.#first).toString(style), edited);
    return kept !== null && saysTheSame(kept, this.#document) ? kept : edited;
  }

  /** Plain value at a path; undefined when there is none. */
  get(path: Path): unknown {
    const node: unknown = this.#document.getIn(path);
    return isMap(node) || isSeq(node) ? node.toJS(this.#document) : node;
  }

  /** Sets a value unless it is already set. Keeps the quoting and comment of a replaced scalar. */
  set(path: Path, value: unknown): void {
    if (canonicalJson(this.get(path) ?? null) === canonicalJson(value)) return;
    this.#changed = true;
    const node: unknown = this.#document.getIn(path, true);
    if (isScalar(node) && typeof value !== 'object') node.value = value;
    else this.#create(path, value);
  }

  /** A parent without a value (`labels:`) becomes a map. */
  #create(path: Path, value: unknown): void {
    const empty = path.findIndex((_, length) => {
      const parent: unknown = this.#document.getIn(path.slice(0, length), true);
      return isScalar(parent) && parent.value === null;
    });
    if (empty > 0) this.#document.deleteIn(path.slice(0, empty));
    this.#document.setIn(path, this.#document.createNode(value));
  }

  /** Removes a part, and every parent below `keep` parts of the path that it leaves empty. */
  remove(path: Path, keep: number): void {
    if (!this.#document.hasIn(path)) return;
    this.#changed = true;
    this.#document.deleteIn(path);
    for (let length = path.length - 1; length > keep; length -= 1) {
      const parent: unknown = this.#document.getIn(path.slice(0, length), true);
      if (!isCollection(parent) || parent.items.length > 0) return;
      this.#document.deleteIn(path.slice(0, length));
    }
  }

  append(path: Path, value: unknown): void {
    this.#changed = true;
    const list: unknown = this.#document.getIn(path, true);
    if (isSeq(list)) list.add(this.#document.createNode(value));
    else this.#document.setIn(path, this.#document.createNode([value]));
  }

  /** Length of the list at a path; 0 when there is none. */
  length(path: Path): number {
    const list: unknown = this.#document.getIn(path, true);
    return isSeq(list) ? list.items.length : 0;
  }
}

function parsed(text: string): Document {
  return parseDocument(text, { schema: 'core', uniqueKeys: false });
}

function saysTheSame(text: string, document: Document): boolean {
  const read = parsed(text);
  return read.errors.length === 0 && canonicalJson(read.toJS()) === canonicalJson(document.toJS());
}

function isCollection(node: unknown): node is YAMLMap | YAMLSeq {
  return isMap(node) || isSeq(node);
}

interface Style {
  readonly lineWidth: number;
  readonly indent: number;
  readonly indentSeq: boolean;
  readonly flowCollectionPadding: boolean;
}

/** The layout of a text, so that unedited lines are printed unchanged. */
function styleOf(text: string): Style {
  const indent = /^[^\s#-][^\n]*:[ \t]*\n( +)[^\s-]/m.exec(text)?.[1]?.length ?? 2;
  return {
    lineWidth: 0,
    indent,
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: /[[{] \S/.test(text),
  };
}

/**
 * The first document of a YAML stream, with everything before it; what follows the next `---` or `...` is left out. A line
 * that begins with either ends a document wherever it is, even inside quotes and block text (YAML 1.2 §9.1.2). Kubernetes'
 * reader decodes the first document and ignores the others, including their syntax.
 * Source: sigs.k8s.io/yaml Unmarshal; tested on the readers of 1.21, 1.30 and 1.36.
 */
export function firstDocument(text: string): string {
  let begun = false;
  let length = 0;
  for (const line of text.split('\n')) {
    const limit = /^(?:---|\.\.\.)(?:\s|$)/.test(line);
    if (limit && begun) return text.slice(0, length);
    begun ||= limit || isContent(line);
    length += line.length + 1;
  }
  return text;
}

/** Neither blank, nor a comment, nor a directive. */
function isContent(line: string): boolean {
  return !/^(?:\s*(?:#.*)?|%.*)$/.test(line);
}

/** An item of a list whose items have unique names, as volumes, mounts, variables and extra arguments are. */
export interface NamedItem {
  readonly name: string;
  readonly [field: string]: unknown;
}

export function setNamed(edit: YamlEdit, list: Path, item: NamedItem): void {
  const index = indexOfNamed(edit, list, item.name);
  if (index === -1) edit.append(list, item);
  else edit.set([...list, index], item);
}

/** Removes an item, and every parent below `keep` parts of the path that it leaves empty. */
export function removeNamed(edit: YamlEdit, list: Path, name: string, keep: number): void {
  const index = indexOfNamed(edit, list, name);
  if (index !== -1) edit.remove([...list, index], keep);
}

function indexOfNamed(edit: YamlEdit, list: Path, name: string): number {
  const names = Array.from({ length: edit.length(list) }, (_, index) =>
    edit.get([...list, index, 'name']),
  );
  return names.indexOf(name);
}

/** Plain JSON as YAML for people, in the order of its keys. For display, never for requests. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
