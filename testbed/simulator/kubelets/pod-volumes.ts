import { listAt, textAt, textMapAt, valueAt } from '../../base/json.js';
import type { StoredObject } from '../model.js';
import type { MemoryFileSystem } from '../nodes/memory-file-system.js';
import type { ContainerTemplate, PodTemplate } from './pod-template.js';

export interface VolumeSources {
  readonly files: MemoryFileSystem;
  readonly configMap: (namespace: string, name: string) => StoredObject | undefined;
}

/** Why a pod cannot start yet (a path or ConfigMap that it mounts is missing); undefined when it can. */
export function missingVolume(template: PodTemplate, sources: VolumeSources): string | undefined {
  for (const volume of listAt(template.spec, 'volumes')) {
    const type = textAt(volume, 'hostPath', 'type');
    const path = textAt(volume, 'hostPath', 'path');
    if (type === 'File' && sources.files.read(path) === undefined) {
      return `hostPath type check failed: ${path} is not a file`;
    }
    const map = textAt(volume, 'configMap', 'name');
    const isOptional = valueAt(volume, 'configMap', 'optional') === true;
    if (map !== '' && !isOptional && sources.configMap(template.namespace, map) === undefined) {
      return `configmap "${map}" not found`;
    }
  }
  return undefined;
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
