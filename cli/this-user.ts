import { hostname, userInfo } from 'node:os';

/** Who asks where nothing else is said. */
export function thisUser(): string {
  return `${userInfo().username}@${hostname()}`;
}
