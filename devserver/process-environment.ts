/** Environment variables of a process; entry points pass them in. */
export type Environment = Readonly<Record<string, string | undefined>>;
