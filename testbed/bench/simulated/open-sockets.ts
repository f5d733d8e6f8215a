import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

const ESTABLISHED = '01';

/** How many connections to a local port a process has open now. Linux only. @throws Error when it is not ours to look at. */
export function openSockets(pid: number, port: number): number {
  return establishedTo(port, readFileSync(`/proc/${pid}/net/tcp`, 'utf8'), descriptors(pid));
}

/** Rows of the kernel's table of connections: of these sockets, to that port, established. */
export function establishedTo(port: number, table: string, links: readonly string[]): number {
  const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').filter((row) => {
    const [, , remote = '', state, , , , , , inode = ''] = row.trim().split(/\s+/);
    return remote.endsWith(`:${hex}`) && state === ESTABLISHED && own.has(inode);
  }).length;
}

/** A descriptor may be closed while they are read. */
function descriptors(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((each) => {
    try {
      return [readlinkSync(`${folder}/${each}`)];
    } catch {
      return [];
    }
  });
}
