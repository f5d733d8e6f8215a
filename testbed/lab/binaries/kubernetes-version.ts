/** A released Kubernetes version, without `v`, for example 1.30.14. */
export interface KubernetesVersion {
  readonly text: string;
  readonly minor: number;
  readonly patch: number;
}

/** Oldest and newest minor that the lab's in-tree provider has been compiled into. */
const OLDEST_MINOR = 27;
const NEWEST_MINOR = 30;

/** @throws Error that lists the versions that the lab can build. */
export function buildableVersion(text: string): KubernetesVersion {
  const [, minorText = '', patchText = ''] = /^1\.(\d{1,2})\.(\d{1,3})$/.exec(text) ?? [];
  const minor = Number(minorText);
  if (minorText === '' || minor < OLDEST_MINOR || minor > NEWEST_MINOR) {
    throw new Error(
      `${JSON.stringify(text)} is not a version that the lab builds; choose 1.${OLDEST_MINOR}.x to 1.${NEWEST_MINOR}.x, for example 1.29.15 or 1.30.14`,
    );
  }
  return { text, minor, patch: Number(patchText) };
}
