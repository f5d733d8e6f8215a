import { listAt, textAt, textMapAt, valueAt } from '../../base/json.js';
import type { StoredObject } from '../model.js';
import type { MemoryFileSystem } from '../nodes/memory-file-system.js';
import type { ContainerTemplate, PodTemplate } from './pod-template.js';

export interface VolumeSources {
  readonly files: MemoryFileSystem;
  readonly configMap: (namespace: string, name: string) => StoredObject | undefined;
}

/** Whether every file and ConfigMap that a pod needs for its start is there. */
export function hasVolumes({ spec, namespace }: PodTemplate, sources: VolumeSources): boolean {
  return listAt(spec, 'volumes').every((volume) => {
    const isFile = textAt(volume, 'hostPath', 'type') === 'File';
    if (isFile && sources.files.read(textAt(volume, 'hostPath', 'path')) === undefined)
      return false;
    const map = textAt(volume, 'configMap', 'name');
    const isOptional = valueAt(volume, 'configMap', 'optional') === true;
    return map === '' || isOptional || sources.configMap(namespace, map) !== undefined;
  });
}

/** A file as a container sees it now; undefined when nothing is mounted there. */
export function readContainerFile(
  template: PodTemplate,
  container: ContainerTemplate,
  sources: VolumeSources,
  path: string,
): string | undefined {
  const mount = container.mounts
    .filter(
      ({ mountPath }) => path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, '')}/`),
    )
    .sort((a, b) => b.mountPath.length - a.mountPath.length)[0];
  if (mount === undefined) return undefined;
  const volume = listAt(template.spec, 'volumes').find(
    (each) => valueAt(each, 'name') === mount.name,
  );
  const below = path.slice(mount.mountPath.replace(/\/$/, '').length);
  const inner = `${mount.subPath === '' ? '' : `/${mount.subPath}`}${below}`;
  return readVolumeFile(volume, template.namespace, sources, inner);
}

function readVolumeFile(
  volume: unknown,
  namespace: string,
  sources: VolumeSources,
  inner: string,
): string | undefined {
  const hostPath = textAt(volume, 'hostPath', 'path');
  if (hostPath !== '') return sources.files.read(`${hostPath.replace(/\/$/, '')}${inner}`)?.content;
  const name = textAt(volume, 'configMap', 'name');
  if (name === '') return undefined;
  const data = textMapAt(sources.configMap(namespace, name), 'data');
  const items = listAt(volume, 'configMap', 'items');
  const file = inner.replace(/^\//, '');
  const item = items.find((each) => valueAt(each, 'path') === file);
  return items.length === 0 ? data[file] : data[textAt(item, 'key')];
}
