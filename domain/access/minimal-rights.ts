import type { WorkerRight } from './worker-role.js';

/** One verb on one resource, in the whole cluster or a namespace, on all objects or one. */
interface Atom {
  readonly namespace: string | null;
  readonly group: string;
  readonly resource: string;
  readonly name: string | null;
  readonly verb: string;
}

/** The same rights with none twice: what another right allows already is left out, so that each that remains is needed. */
export function minimalRights(rights: readonly WorkerRight[]): readonly WorkerRight[] {
  const all = rights.map((right) => ({ right, own: atomsOf(right) }));
  const flat = all.flatMap(({ own }) => own);
  return all.flatMap(({ right, own }) => {
    const needed = own.filter(
      (atom) => !flat.some((other) => other !== atom && covers(other, atom, flat)),
    );
    return needed.length === own.length ? [right] : regrouped(right, needed);
  });
}

export function atomsOf({
  namespace,
  apiGroups,
  resources,
  resourceNames,
  verbs,
}: Omit<WorkerRight, 'why'>): readonly Atom[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      (resourceNames ?? [null]).flatMap((name) =>
        verbs.map((verb) => ({ namespace, group, resource, name, verb })),
      ),
    ),
  );
}

/** Of two that are equal the first one stays. */
function covers(wide: Atom, atom: Atom, order: readonly Atom[]): boolean {
  if (wide.verb !== atom.verb || wide.resource !== atom.resource || wide.group !== atom.group) {
    return false;
  }
  const [samePlace, sameName] = [wide.namespace === atom.namespace, wide.name === atom.name];
  if (!samePlace && wide.namespace !== null) return false;
  if (!sameName && wide.name !== null) return false;
  return !(samePlace && sameName) || order.indexOf(wide) < order.indexOf(atom);
}

/** Verbs that remain of each object, and objects with the same verbs together again. */
function regrouped({ namespace, why }: WorkerRight, atoms: readonly Atom[]): WorkerRight[] {
  const objectOf = ({ group, resource, name }: Atom): string =>
    JSON.stringify([group, resource, name]);
  const together = (atom: Atom): string => {
    const same = atoms.filter((each) => objectOf(each) === objectOf(atom));
    return JSON.stringify([atom.group, atom.resource, same.map(({ verb }) => verb)]);
  };
  const keys = distinct(atoms.map(together));
  return keys.map((key) =>
    rightOf(
      namespace,
      why,
      atoms.filter((atom) => together(atom) === key),
    ),
  );
}

function rightOf(namespace: string | null, why: string, of: readonly Atom[]): WorkerRight {
  const names = distinct(of.flatMap(({ name }) => (name === null ? [] : [name])));
  return {
    namespace,
    apiGroups: distinct(of.map(({ group }) => group)),
    resources: distinct(of.map(({ resource }) => resource)),
    ...(names.length === 0 ? {} : { resourceNames: names }),
    verbs: distinct(of.map(({ verb }) => verb)),
    why,
  };
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
