import type { ApiServerUnderTest, RecordedCall } from './exchange.js';
import { normalised } from './normalise.js';
import { isOwn, type Scenario } from './scenarios/scenario.js';
import { Stage } from './stage.js';

/** Runs a scenario on a server and returns its calls in a form that is the same each time. */
export async function playOn(
  server: ApiServerUnderTest,
  scenario: Scenario,
): Promise<readonly RecordedCall[]> {
  const stage = new Stage(server);
  try {
    await scenario.play(stage);
  } finally {
    await stage.close();
  }
  return normalised(stage.calls, isOwn);
}
