/**
 * The Temporal CLI release that the dev server runs; it contains server 1.31.2. Same version as
 * `tools/temporal/go.mod`.
 */
export const TEMPORAL_CLI_VERSION = '1.8.2';

/** The server in it, which docker-compose.yml runs on its own. */
export const TEMPORAL_SERVER_VERSION = '1.31.2';

/**
 * The oldest server accepted in a CLI already on the machine: worker deployments and Updates as we use them need 1.29
 * (docs.temporal.io, worker versioning). [major, minor]
 */
export const OLDEST_SERVER: readonly [number, number] = [1, 29];

/** File name in the project's cache, for example `temporal-1.8.2-linux-x64`: one cache may serve several machines. */
export function cachedFileName(platform: string, arch: string): string {
  return `temporal-${TEMPORAL_CLI_VERSION}-${platform}-${arch}`;
}

/** Progress of a source while it works; one line, no newline. */
export type Report = (line: string) => void;
