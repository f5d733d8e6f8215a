import type { Path, YamlEdit } from './yaml-edit.js';

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
