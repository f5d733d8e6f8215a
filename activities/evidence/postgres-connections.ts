import { Pool, type PoolClient, type PoolConfig } from 'pg';
import type { EvidenceAccess } from '../../config/evidence-database.js';
import { withoutKnown } from '../../domain/redaction.js';
import { errorCode, failure, failureTypeOf, plainMessage } from '../failures.js';

/** Answers of a database: rows as they came, which the caller checks. */
export interface DatabaseAnswer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** How many rows were written or read. */
  readonly count: number;
}

/** A few connections to one database. All that goes wrong with it is `Unavailable`, within seconds. */
export interface EvidenceConnections {
  /** For people: where it is, without the user. */
  readonly place: string;
  ask(sql: string, values: readonly (string | number)[]): Promise<DatabaseAnswer>;
  close(): Promise<void>;
}

/** What connections are for. Who only reads may do so of a replica, too. */
export type EvidenceUse = 'write' | 'read';

/** Of one worker: it writes one record at a time for each run. */
const MAX_CONNECTIONS = 4;
const CONNECT_WITHIN_MS = 5_000;
const STATEMENT_WITHIN_MS = 10_000;
/** For a server that says nothing at all; longer than it may take by itself. */
const ANSWER_WITHIN_MS = 12_000;
const IDLE_MS = 30_000;
/** Settings of the server may change: a connection that was checked is not trusted for ever. */
const LIFETIME_SECONDS = 300;
const CLOSE_WITHIN_MS = 5_000;

export function openEvidenceConnections(
  access: EvidenceAccess,
  use: EvidenceUse,
): EvidenceConnections {
  const place = `PostgreSQL ${access.host}:${String(access.port)}/${access.database}`;
  const pool = new Pool({
    ...poolConfig(access),
    verify: (client, done) => {
      requireUsable(client, place, use).then(
        () => {
          done();
        },
        (error: unknown) => {
          done(error instanceof Error ? error : new Error(String(error)));
        },
      );
    },
  });
  // A connection that breaks while nothing is asked of it is replaced at the next request.
  pool.on('error', () => undefined);
  return {
    place,
    ask: async (sql, values) => {
      try {
        const { rows, rowCount } = await pool.query<Record<string, unknown>>(sql, [...values]);
        return { rows, count: rowCount ?? 0 };
      } catch (error) {
        throw asUnavailable(error, place, access.password);
      }
    },
    close: () => closeWithin(pool, CLOSE_WITHIN_MS),
  };
}

/** Everything is named, because what is not would come from the PG* variables of the environment or from ~/.pgpass. */
function poolConfig(access: EvidenceAccess): PoolConfig {
  const { user, host, port, database, password, encrypted, authority } = access;
  return {
    ...{ user, host, port, database, password: () => password },
    ssl: encrypted
      ? { rejectUnauthorized: true, ...(authority === null ? {} : { ca: authority }) }
      : false,
    // Names that are not qualified are those of PostgreSQL itself, whatever was made in the database.
    options: '-c search_path=pg_catalog',
    ...{ application_name: 'ccm-migrate', client_encoding: 'UTF8', keepAlive: true },
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    statement_timeout: STATEMENT_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    ...{ max: MAX_CONNECTIONS, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true },
    maxLifetimeSeconds: LIFETIME_SECONDS,
  };
}

/** Also keeps the session's own value: a reload of the server's configuration would change it in the middle of a session. */
const SETTINGS = `
  SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false) AS commits,
         current_setting('fsync') AS fsync,
         current_setting('server_encoding') AS encoding,
         current_setting('transaction_read_only') AS read_only,
         pg_is_in_recovery() AS replica,
         (SELECT bool_or(has_table_privilege(oid, 'DELETE, TRUNCATE, TRIGGER') OR has_any_column_privilege(oid, 'UPDATE')
                         OR pg_has_role(relowner, 'MEMBER'))
          FROM pg_class WHERE oid IN (to_regclass('evidence.records'), to_regclass('evidence.texts'))) AS rewrites`;

/** @throws `Unavailable` for a session whose commits would not be on stable storage, or that could change what is recorded. */
async function requireUsable(client: PoolClient, place: string, use: EvidenceUse): Promise<void> {
  const { rows } = await client.query<Record<string, unknown>>(SETTINGS);
  const why = unusable(rows[0] ?? {}, use);
  if (why !== null) throw failure('Unavailable', `evidence in ${place}: ${why}`);
}

function unusable(settings: Readonly<Record<string, unknown>>, use: EvidenceUse): string | null {
  const { commits, fsync, encoding, read_only: readOnly, replica, rewrites } = settings;
  if (encoding !== 'UTF8') return 'the database is not in UTF8; create one WITH ENCODING UTF8';
  if (use === 'read') return null;
  if (replica !== false) return 'this server is a replica; name the primary';
  if (readOnly !== 'off') {
    return 'sessions are read-only here; turn default_transaction_read_only off for this user';
  }
  if (fsync !== 'on') return 'a commit may be lost with the power; set fsync = on';
  // Null where the tables are not there, which the first request says.
  if (rewrites === true) return REWRITES;
  // Every other value waits at least for the disk of the server itself.
  return typeof commits === 'string' && commits !== 'off'
    ? null
    : 'a commit returns before it is on disk; set synchronous_commit = on for this user';
}

const REWRITES =
  'this user may change or delete records, as their owner or an administrator may; give the worker one that is in the role ccm_migrate_worker alone';

const SCHEMA = 'an administrator applies deploy/evidence/schema.sql';
/** What to do, by SQLSTATE (PostgreSQL, appendix A). */
const ADVICE: Readonly<Record<string, string>> = {
  '25006': 'it takes no writes; name the primary',
  '28000': 'it refuses this user; see its pg_hba.conf',
  '28P01': 'it refuses the password; see CCM_MIGRATE_EVIDENCE_PASSWORD_FILE',
  '3D000': 'there is no such database',
  '3F000': `the tables are not there; ${SCHEMA}`,
  '42P01': `the tables are not there; ${SCHEMA}`,
  '42703': `the tables are others; ${SCHEMA}`,
  '42P10': `the tables lack their primary key; ${SCHEMA}`,
  '42501': `this user lacks rights; ${SCHEMA} and grants its role`,
  '53100': 'its disk is full',
  '53300': 'it has no connection left',
  '57014': 'it took too long',
};

function asUnavailable(error: unknown, place: string, password: string): Error {
  if (error instanceof Error && failureTypeOf(error) !== null) return error;
  const advice = ADVICE[errorCode(error)];
  const said = withoutKnown(plainMessage(error), [password]);
  const words = advice === undefined ? said : `${advice} (${said})`;
  return failure('Unavailable', `evidence in ${place}: ${words}`);
}

/** A server that does not answer holds up no shutdown. */
async function closeWithin(pool: Pool, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([pool.end(), late]).finally(() => {
    clearTimeout(timer);
  });
}
