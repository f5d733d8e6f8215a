import { failure } from '../failures.js';
import type { RunKey } from './evidence-store.js';
import type { EvidenceConnections } from './postgres-connections.js';

/** One record as its row. */
export interface ChainRow {
  readonly sequence: number;
  readonly hash: string;
  /** As a line of an evidence file, newline included. */
  readonly line: string;
}

/** Read at one moment. */
export interface ChainRows {
  /** How many rows the run has, before and after those that were asked for. */
  readonly total: number;
  readonly rows: readonly ChainRow[];
}

/** The tables of deploy/evidence/schema.sql: rows are added and read, and nothing else. */
export interface EvidenceTables {
  /** From a sequence on, in their order. */
  rowsFrom(run: RunKey, sequence: number): Promise<ChainRows>;
  /** Committed when it returns; false where there is a row of that sequence. */
  addRow(run: RunKey, row: ChainRow): Promise<boolean>;
  /** Committed when it returns; false where there is a text of that digest. */
  addText(run: RunKey, digest: string, text: string): Promise<boolean>;
  /** Null where there is none, or one of more bytes than `most`. */
  textOf(run: RunKey, digest: string, most: number): Promise<string | null>;
}

const ROWS = `
  SELECT counted.total, r.sequence, r.hash, r.line
  FROM (SELECT count(*)::int AS total FROM evidence.records WHERE workflow_id = $1 AND run_id = $2) counted
  LEFT JOIN evidence.records r ON r.workflow_id = $1 AND r.run_id = $2 AND r.sequence >= $3
  ORDER BY r.sequence`;

// With its target: without that key, which orders the writers, it fails.
const ADD_ROW = `
  INSERT INTO evidence.records (workflow_id, run_id, sequence, hash, line) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (workflow_id, run_id, sequence) DO NOTHING`;

const ADD_TEXT = `
  INSERT INTO evidence.texts (workflow_id, run_id, digest, text) VALUES ($1, $2, $3, $4)
  ON CONFLICT (workflow_id, run_id, digest) DO NOTHING`;

const TEXT = `
  SELECT text FROM evidence.texts
  WHERE workflow_id = $1 AND run_id = $2 AND digest = $3 AND octet_length(text) <= $4`;

export function openEvidenceTables(connections: EvidenceConnections): EvidenceTables {
  const { place } = connections;
  return {
    rowsFrom: async ({ workflowId, runId }, sequence) => {
      const { rows } = await connections.ask(ROWS, [workflowId, runId, sequence]);
      const total = rows[0]?.['total'];
      if (typeof total !== 'number') throw foreignTables(place);
      // No row at all is one of nulls, beside the count.
      const found = rows.filter((row) => row['sequence'] !== null);
      return { total, rows: found.map((row) => chainRow(row, place)) };
    },
    addRow: async ({ workflowId, runId }, { sequence, hash, line }) => {
      const { count } = await connections.ask(ADD_ROW, [workflowId, runId, sequence, hash, line]);
      return count === 1;
    },
    addText: async ({ workflowId, runId }, digest, text) => {
      const { count } = await connections.ask(ADD_TEXT, [workflowId, runId, digest, text]);
      return count === 1;
    },
    textOf: async ({ workflowId, runId }, digest, most) => {
      const { rows } = await connections.ask(TEXT, [workflowId, runId, digest, most]);
      const text = rows[0]?.['text'];
      return typeof text === 'string' ? text : null;
    },
  };
}

function chainRow(row: Readonly<Record<string, unknown>>, place: string): ChainRow {
  const { sequence, hash, line } = row;
  if (typeof sequence !== 'number' || typeof hash !== 'string' || typeof line !== 'string') {
    throw foreignTables(place);
  }
  return { sequence, hash, line };
}

function foreignTables(place: string): Error {
  return failure(
    'Unavailable',
    `evidence in ${place}: the tables have other columns than deploy/evidence/schema.sql makes`,
  );
}
