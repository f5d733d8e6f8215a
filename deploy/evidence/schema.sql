-- Tables for evidence that several workers share (CCM_MIGRATE_EVIDENCE_DATABASE), and who may do what with them.
-- An administrator applies it, and applies it again without harm:
--   psql --set ON_ERROR_STOP=1 --dbname DATABASE --file deploy/evidence/schema.sql
-- Then, for each worker and each auditor, a user of its own:
--   CREATE ROLE worker_1 LOGIN PASSWORD '...' IN ROLE ccm_migrate_worker;
-- The administrator owns the tables. Workers may add and read, auditors read, no one else anything.
BEGIN;

-- Roles belong to the whole server, so those of another database of it are there already.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'ccm_migrate_worker') THEN
    CREATE ROLE ccm_migrate_worker NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'ccm_migrate_auditor') THEN
    CREATE ROLE ccm_migrate_auditor NOLOGIN;
  END IF;
END
$$;

CREATE SCHEMA IF NOT EXISTS evidence;

-- One row for each record of a run's chain. `line` is the record as a line of an evidence file. The key orders writers: two of
-- them cannot continue a chain from the same place.
CREATE TABLE IF NOT EXISTS evidence.records (
  workflow_id text NOT NULL,
  run_id text NOT NULL,
  sequence integer NOT NULL CHECK (sequence >= 0),
  hash text NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (workflow_id, run_id, sequence)
);

-- Texts beside a chain, each under its own digest.
CREATE TABLE IF NOT EXISTS evidence.texts (
  workflow_id text NOT NULL,
  run_id text NOT NULL,
  digest text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (workflow_id, run_id, digest)
);

-- A table that is not logged loses its content in a crash.
ALTER TABLE evidence.records SET LOGGED;
ALTER TABLE evidence.texts SET LOGGED;

REVOKE ALL ON SCHEMA evidence FROM PUBLIC, ccm_migrate_worker, ccm_migrate_auditor;
REVOKE ALL ON evidence.records, evidence.texts FROM PUBLIC, ccm_migrate_worker, ccm_migrate_auditor;
GRANT USAGE ON SCHEMA evidence TO ccm_migrate_worker, ccm_migrate_auditor;
GRANT SELECT, INSERT ON evidence.records, evidence.texts TO ccm_migrate_worker;
GRANT SELECT ON evidence.records, evidence.texts TO ccm_migrate_auditor;

COMMIT;
