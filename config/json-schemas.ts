import { WrittenAccess } from './access/access-policy-file.js';
import { WrittenSigners } from './access/policy-signers-file.js';
import { AutomationTokens } from './automation/automation-tokens.js';
import { AlertHook } from './automation/hook-payloads.js';
import { writtenSchema } from './known-keys.js';
import {
  FleetClusterList,
  FleetCommandResult,
  FleetForecast,
  FleetStarted,
  FleetStatusDocument,
  FreezeResult,
} from './outputs/fleet-documents.js';
import {
  AccessCheck,
  AccessExplanation,
  AccessFiles,
  AccessIssuer,
  AccessKeyLine,
  AccessObjects,
  PayloadKeyFile,
  AccessSignature,
} from './outputs/access-documents.js';
import { AuditAccount } from './outputs/account-document.js';
import { AuditAnchor, AuditLog } from './outputs/anchor-documents.js';
import { FleetAuditExport } from './outputs/fleet-audit-export.js';
import { FleetPlanDocument } from './outputs/fleet-plan-document.js';
import { MigrationPlan } from './outputs/migration-plan.js';
import {
  AuditedRunList,
  AuditPopulation,
  AuditReconciliation,
} from './outputs/population-documents.js';
import {
  AuditExport,
  AuditVerification,
  CheckReport,
  CodeList,
  GateList,
  GatePage,
  GateTest,
  ProbeCleaning,
  CodePage,
  CommandErrorDocument,
  DemoReport,
  FleetCheckReport,
  FleetDemoReport,
  LintReport,
  RehearsalReport,
  Version,
} from './outputs/report-documents.js';
import { KINDS } from './validated-documents.js';
import {
  BackgroundStarted,
  CommandResult,
  RunList,
  RunStarted,
  RunStatusDocument,
} from './outputs/run-documents.js';

/** Every document that this tool prints with `-o json`, by its `kind`. */
const OUTPUTS = {
  MigrationPlan,
  FleetPlan: FleetPlanDocument,
  FleetStarted,
  FleetStatus: FleetStatusDocument,
  FleetClusterList,
  FleetCommandResult,
  FleetForecast,
  FreezeResult,
  LintReport,
  CheckReport,
  FleetCheckReport,
  RunStatus: RunStatusDocument,
  RunList,
  RunStarted,
  CommandResult,
  BackgroundStarted,
  AuditExport,
  FleetAuditExport,
  AuditVerification,
  AuditAccount,
  AuditedRunList,
  AuditPopulation,
  AuditReconciliation,
  AuditLog,
  AuditAnchor,
  DemoReport,
  FleetDemoReport,
  RehearsalReport,
  Version,
  CodePage,
  CodeList,
  GateList,
  GatePage,
  GateTest,
  ProbeCleaning,
  AccessFiles,
  AccessKeyLine,
  AccessIssuer,
  AccessObjects,
  AccessCheck,
  AccessExplanation,
  PayloadKeyFile,
  AccessSignature,
  CommandError: CommandErrorDocument,
} as const;

/** What people and other programs give to workers and to `ccm-migrate server`, beside the files of a fleet. */
const GIVEN = {
  AccessPolicy: WrittenAccess,
  PolicySigners: WrittenSigners,
  AutomationTokens,
  AlertHook,
} as const;

const ALL_SCHEMAS = { ...KINDS, ...GIVEN, ...OUTPUTS } as const;

/** The documents that people write and that this tool prints. */
export type SchemaName = keyof typeof ALL_SCHEMAS;

export const SCHEMA_NAMES: readonly SchemaName[] = Object.keys(ALL_SCHEMAS).filter(isSchemaName);

export function isSchemaName(name: string): name is SchemaName {
  return Object.hasOwn(ALL_SCHEMAS, name);
}

/** JSON Schema (draft-07, as editors read it) of a kind as people write it, or of an output as it is printed. */
export function jsonSchemaOf(name: SchemaName): object {
  return writtenSchema(ALL_SCHEMAS[name]);
}

/** The text of `config/schema/<name>.json`. */
export function jsonSchemaText(name: SchemaName): string {
  return `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`;
}
