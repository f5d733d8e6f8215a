import { jsonSchemaText, SCHEMA_NAMES, isSchemaName } from '../../config/json-schemas.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { Cli } from '../cli.js';
import type { Ending } from '../endings.js';
import { WrongUsage } from '../refusal.js';

/** `schema KIND`: JSON Schema of what people write, or of what this tool prints. */
export async function schema(cli: Cli): Promise<Ending> {
  const name = cli.arguments[0] ?? '';
  if (!isSchemaName(name)) {
    const known = SCHEMA_NAMES.join(', ');
    throw new WrongUsage(`unknown kind ${name}${didYouMean(name, SCHEMA_NAMES)} (known: ${known})`);
  }
  cli.terminal.out(jsonSchemaText(name));
  return 'reached';
}
