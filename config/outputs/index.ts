import { MigrationPlan } from './plan.js';
import {
  AuditExport,
  AuditVerification,
  CheckReport,
  CodeList,
  CodePage,
  CommandError,
  DemoReport,
  LintReport,
  Version,
} from './reports.js';
import { CommandResult, RunList, RunStarted, RunStatus } from './run.js';

/** Every document that this tool prints with `-o json`, by its `kind`. */
export const OUTPUTS = {
  MigrationPlan,
  LintReport,
  CheckReport,
  RunStatus,
  RunList,
  RunStarted,
  CommandResult,
  AuditExport,
  AuditVerification,
  DemoReport,
  Version,
  CodePage,
  CodeList,
  CommandError,
} as const;
