import { jsonSchemaText, SCHEMA_NAMES, isSchemaName } from '../../config/json-schemas.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { UsageError } from '../cli-error.js';

/** `schema KIND`: JSON Schema of a configuration kind or of an output of this tool. */
export async function schema(cli: Cli): Promise<ExitStatus> {
  const name = cli.arguments[0] ?? '';
  if (!isSchemaName(name)) {
    const known = SCHEMA_NAMES.join(', ');
    throw new UsageError(`unknown kind ${name}${didYouMean(name, SCHEMA_NAMES)} (known: ${known})`);
  }
  cli.terminal.out(jsonSchemaText(name));
  return 'reached';
}
