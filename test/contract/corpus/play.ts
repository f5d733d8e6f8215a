import type { ApiServerUnderTest, RecordedCall } from './exchange.js';
import { normalised } from './normalise.js';
import { isOwn, type Scenario } from './scenarios/scenario.js';
import { Environment } from './environment.js';

/** Runs a scenario on a server and returns its calls in a form that is the same each time. */
export async function playOn(
  server: ApiServerUnderTest,
  scenario: Scenario,
): Promise<readonly RecordedCall[]> {
  const environment = new Environment(server);
  try {
    await scenario.play(environment);
  } finally {
    await environment.close();
  }
  return normalised(environment.calls, isOwn);
}
