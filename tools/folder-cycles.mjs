/**
 * Cycles between folders: each file of a folder may be free of cycles while the folders are not, and then neither folder
 * can be read, tested or moved without the other. The nodes of a room are its direct subfolders (with all that is below
 * them) and its loose files. Types count: a file that needs a type has to know its folder. Imports on demand do not.
 *
 * Of the testbed only the rooms themselves are compared. Inside the simulator folders may be circular, because what it
 * imitates is: a machine holds its kubelet, the kubelet its processes, and a process knows the machine it runs on. The
 * lab joins the same parts, only real ones.
 */
const ROOMS = [
  ...['domain', 'domain/decision', 'activities', 'activities/adapters', 'workflows', 'workers'],
  ...['config', 'cli', 'devserver', 'testbed'],
];

/** `modules` as dependency-cruiser lists them; one finding for each group of folders that reach each other. */
export function folderCycles(modules) {
  return ROOMS.flatMap((room) => {
    const imports = importsBetween(room, modules);
    return circularGroups(imports).map((nodes) => ({
      nodes,
      files: filePairs(
        imports.filter(({ from, to }) => nodes.includes(from) && nodes.includes(to)),
      ),
    }));
  });
}

/** Each pair of files once, those of the thinnest connection first: it is usually the one to cut. */
function filePairs(imports) {
  const connections = new Map();
  for (const { from, to, files } of imports) {
    const connection = `${from} ${to}`;
    const pairs = connections.get(connection) ?? new Set();
    connections.set(connection, pairs.add(files.join(' → ')));
  }
  const thinnestFirst = [...connections.values()].sort((a, b) => a.size - b.size);
  return thinnestFirst.flatMap((pairs) => [...pairs].sort());
}

function importsBetween(room, modules) {
  return modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ dynamic }) => !dynamic)
      .map(({ resolved }) => ({
        from: nodeOf(room, source),
        to: nodeOf(room, resolved),
        files: [source, resolved],
      }))
      .filter(({ from, to }) => from !== null && to !== null && from !== to),
  );
}

/** `cli/runs/run-view.ts` in room `cli` belongs to `cli/runs`; null outside the room. */
function nodeOf(room, file) {
  if (!file.startsWith(`${room}/`)) return null;
  const [name] = file.slice(room.length + 1).split('/');
  return `${room}/${name}`;
}

/** Nodes that reach each other, each group once and sorted. */
function circularGroups(imports) {
  const reached = new Map(
    imports
      .map(({ from }) => [from, nodesAfter(from, imports)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const groups = new Map();
  for (const [node, after] of reached) {
    if (!after.has(node)) continue;
    const group = [...after].filter((other) => reached.get(other)?.has(node)).sort();
    groups.set(group.join(' '), group);
  }
  return [...groups.values()];
}

/** All that one node reaches; itself only if there is a way round. */
function nodesAfter(start, imports) {
  const seen = new Set();
  const open = [start];
  while (open.length > 0) {
    const node = open.pop();
    for (const { from, to } of imports) {
      if (from !== node || seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}
