import type { Cli } from './cli.js';
import { UsageError } from './cli-error.js';

/** How deliberate a confirmation has to be: `simple` is y/N, `typed` asks for the name. */
type Tier = 'simple' | 'typed';

/**
 * Asks before something changes; where no operator can be asked, `--yes` is required. Returns whether to continue; any
 * other answer means no.
 */
export async function confirm(
  cli: Cli,
  question: { readonly tier: Tier; readonly what: string; readonly name: string },
): Promise<boolean> {
  if (cli.options.flag('yes')) return true;
  if (!cli.terminal.canAsk) {
    throw new UsageError(
      `${question.what}: no terminal to ask for confirmation; add --yes to continue`,
    );
  }
  const { prompt, accepted } = promptOf(question);
  const answer = await cli.terminal.ask(`${question.what}. ${prompt} `, cli.signal);
  return accepted(answer.trim());
}

function promptOf({ tier, name }: { readonly tier: Tier; readonly name: string }): {
  readonly prompt: string;
  readonly accepted: (answer: string) => boolean;
} {
  switch (tier) {
    case 'simple':
      return { prompt: 'Continue? [y/N]', accepted: (answer) => /^y(es)?$/i.test(answer) };
    case 'typed':
      return { prompt: `Type "${name}" to continue:`, accepted: (answer) => answer === name };
  }
}
