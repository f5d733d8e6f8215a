import { hash } from 'node:crypto';

/** The same digest as `digestText`, for texts that may have megabytes: all clusters of a worker wait meanwhile. */
export function nativeDigest(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}
