export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, an IPv6 address in brackets; null for anything else. */
export function hostPort(given: string): HostPort | null {
  const match = /^(?:\[([0-9a-f:]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(given);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  return host === undefined || port > 65_535 ? null : { host, port };
}

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
