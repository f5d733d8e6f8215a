import type { Manager } from '../../../domain/vocabulary.js';

/** What a kubelet passes to a container at its start. */
export interface Launch {
  readonly manager: Manager;
  readonly image: string;
  /** The command's arguments without the binary's name. */
  readonly arguments: readonly string[];
  /** First part of the holder identity: the host's name, or the pod's without hostNetwork. */
  readonly hostname: string;
  readonly serviceAccount: string;
  /** A file as the container sees it through its mounts; undefined when it does not exist. */
  readonly readFile: (path: string) => string | undefined;
}

/** The manager in a container, identified by its binary, then by its image; undefined for any other program. */
export function managerOf(command: readonly string[], image: string): Manager | undefined {
  const binary = command[0]?.split('/').at(-1) ?? '';
  for (const text of [binary, image]) {
    if (text.includes('kube-controller-manager')) return 'kcm';
    if (text.includes('cloud-controller-manager')) return 'ccm';
  }
  return undefined;
}

/** Version in an image's tag, without `v`; undefined when the tag has none. */
export function versionOfImage(image: string): string | undefined {
  return /:v?(1\.\d+(?:\.\d+)?)[^/]*$/.exec(image)?.[1];
}
