import { hash } from 'node:crypto';

/**
 * The same digest as `digestText`, five times as fast: for texts that may have megabytes, and for what every observation reads. All
 * clusters of a worker wait meanwhile.
 */
export function nativeDigest(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}
