import type { SimulatedNode } from '../model.js';
import { json } from '../../base/http/answers.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { fileAt, folderAt, isPlain, notPlain } from './file-routes.js';
import { readHost } from './host-routes.js';

/** GET snapshot: host, files, folders and the managers' election series, all from the same moment. */
export function readSnapshot(
  node: SimulatedNode,
  query: URLSearchParams,
  nowMs: number,
): JsonAnswer {
  const paths = query.getAll('path');
  const directories = query.getAll('directory');
  const odd = [...paths, ...directories].find((path) => !isPlain(path));
  if (odd !== undefined) return notPlain(odd);
  return json(200, {
    host: readHost(node, nowMs),
    files: paths.map((path) => fileAt(node, path) ?? { path, content: null }),
    directories: directories.map((path) => ({ path, items: folderAt(node, path) })),
    elections: { kcm: elections(node, 'kcm'), ccm: elections(node, 'ccm') },
  });
}

function elections(node: SimulatedNode, manager: 'kcm' | 'ccm'): string | null {
  const text = node.elections(manager);
  return text === null || node.metricsRefusal(manager) !== null ? null : text;
}
