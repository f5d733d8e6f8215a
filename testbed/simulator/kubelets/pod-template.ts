import { createHash } from 'node:crypto';
import {
  listAt,
  numberOf,
  objectAt,
  textAt,
  textMapAt,
  textsAt,
  valueAt,
  type JsonObject,
} from '../../base/json.js';
import { parseYaml } from '../documents/parse-yaml.js';
import { managerOf } from '../managers/launch.js';
import type { Manager } from '../../../domain/vocabulary.js';

/** A pod to run, from a manifest on disk or from the API server. */
export interface PodTemplate {
  /** Without the `-<node>` suffix of static pods. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  readonly hostNetwork: boolean;
  readonly serviceAccount: string;
  readonly containers: readonly ContainerTemplate[];
}

export interface ContainerTemplate {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  /** The manager that it runs; no other program is simulated. */
  readonly manager: Manager | undefined;
  readonly mounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath: string;
  }[];
  /** How long a process may be stopped before the kubelet kills it; null without a liveness probe. */
  readonly livenessMs: number | null;
}

/** Thousands of nodes read the same few manifests. */
const READ = new Map<string, PodTemplate | null>();
const READ_LIMIT = 5000;

/** A manifest file as a pod; null when it is not one (the kubelet logs and ignores it). */
export function readManifest(text: string): PodTemplate | null {
  const known = READ.get(text);
  if (known !== undefined) return known;
  const parsed = parseYaml(text, { uniqueKeys: false });
  const isPod = parsed.ok && valueAt(parsed.value, 'kind') === 'Pod';
  const template = isPod ? podTemplate(parsed.value) : null;
  if (READ.size >= READ_LIMIT) READ.clear();
  READ.set(text, template);
  return template;
}

/** Parses a Pod object; null without a name or containers. */
export function podTemplate(pod: unknown): PodTemplate | null {
  const spec = objectAt(pod, 'spec');
  const name = textAt(pod, 'metadata', 'name');
  const containers = listAt(spec, 'containers').map(containerTemplate);
  if (name === '' || containers.length === 0) return null;
  return {
    name,
    namespace: textAt(pod, 'metadata', 'namespace') || 'default',
    labels: textMapAt(pod, 'metadata', 'labels'),
    annotations: textMapAt(pod, 'metadata', 'annotations'),
    spec,
    hostNetwork: spec['hostNetwork'] === true,
    serviceAccount: textAt(spec, 'serviceAccountName') || 'default',
    containers,
  };
}

function containerTemplate(container: unknown): ContainerTemplate {
  const image = textAt(container, 'image');
  const command = [...textsAt(container, 'command'), ...textsAt(container, 'args')];
  return {
    name: textAt(container, 'name'),
    image,
    command,
    manager: managerOf(command, image),
    mounts: listAt(container, 'volumeMounts').map((mount) => ({
      name: textAt(mount, 'name'),
      mountPath: textAt(mount, 'mountPath'),
      subPath: textAt(mount, 'subPath'),
    })),
    livenessMs: livenessMs(valueAt(container, 'livenessProbe')),
  };
}

/** Failed probes in a row, then the grace period: a stopped process does not handle SIGTERM. */
function livenessMs(probe: unknown): number | null {
  if (probe === undefined) return null;
  const failures = numberOf(valueAt(probe, 'failureThreshold'), 3);
  const seconds = numberOf(valueAt(probe, 'periodSeconds'), 10) * failures;
  return (seconds + numberOf(valueAt(probe, 'timeoutSeconds'), 1) + 30) * 1000;
}

/**
 * UID of a static pod: a hash of node, file and pod. A manifest with the same content keeps it; comments do not
 * count.
 * Source: kubernetes/kubernetes pkg/kubelet/config/common.go.
 */
export function staticPodHash(template: PodTemplate, node: string, path: string): string {
  const { name, namespace, labels, annotations, spec } = template;
  const text = JSON.stringify([node, path, name, namespace, labels, annotations, spec]);
  return createHash('md5').update(text).digest('hex');
}
