/** What a worker process can serve: workflows anywhere, steps, waits and guards next to the clusters of a region. */
export const ROLES = ['workflows', 'steps', 'waits', 'guards'] as const;
export type Role = (typeof ROLES)[number];

/** Reads `--roles a,b` (default: all); anything else on the command line is an error. */
export function readRoles(argv: readonly string[]): readonly Role[] {
  const [flag, value, ...others] = argv;
  if (flag === undefined) return ROLES;
  if (flag !== '--roles' || value === undefined || others.length > 0) throw new Error(usage());
  return [...new Set(value.split(',').map(roleOf))];
}

function roleOf(given: string): Role {
  const role = ROLES.find((known) => known === given.trim());
  if (role === undefined) throw new Error(`no role ${given}; ${usage()}`);
  return role;
}

function usage(): string {
  return `usage: worker [--roles ${ROLES.join(',')}]`;
}
