import { minorOf } from '../controllers/minors.js';

/** API group of the file format; it is never an object of the API server (KEP-2436). */
export const GROUP = 'controllermanager.config.k8s.io';
export const KIND = 'LeaderMigrationConfiguration';

/** The versions of the file and the first minor that decodes each. Source: k8s.io/controller-manager config/{v1alpha1,v1beta1,v1}. */
export const FILE_VERSIONS = { v1alpha1: 21, v1beta1: 22, v1: 24 } as const;

export type FileVersion = keyof typeof FILE_VERSIONS;

/**
 * From this minor on, unknown or repeated fields make the process exit. Source: pkg/leadermigration/config/config.go
 * v0.31, v0.32.
 */
export const STRICT_SINCE_MINOR = 32;

/** The newest version that a binary of this minor decodes; null before Leader Migration existed. */
export function fileVersionFor(minor: number): FileVersion | null {
  if (minor >= FILE_VERSIONS.v1) return 'v1';
  if (minor >= FILE_VERSIONS.v1beta1) return 'v1beta1';
  return minor >= FILE_VERSIONS.v1alpha1 ? 'v1alpha1' : null;
}

/** `v1` has no `resourceLock`: it is always a Lease. In older versions the field is required and has no default. */
export function hasResourceLock(version: FileVersion): boolean {
  return version !== 'v1';
}

export function fileVersionOf(apiVersion: string): FileVersion | null {
  const version = apiVersion.startsWith(`${GROUP}/`) ? apiVersion.slice(GROUP.length + 1) : '';
  return isFileVersion(version) ? version : null;
}

function isFileVersion(version: string): version is FileVersion {
  return Object.hasOwn(FILE_VERSIONS, version);
}

/** Minor of the binary that reads a file, from its version text. */
export function readerMinor(version: string): number | null {
  const minor = minorOf(version);
  return minor !== null && fileVersionFor(minor) !== null ? minor : null;
}
