import type { Client } from '@temporalio/client';
import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import { OPERATOR_VERBS } from '../../domain/run/operator-verbs.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { agreedPlan, nothingToDo } from '../plan/agreed-plan.js';
import { CliError } from '../cli-error.js';
import type { RunView } from '../runs/run-view.js';
import type { Attribution } from '../runs/start-run.js';
import { planTurnAround, showStarted, startPlanned } from '../runs/start-run.js';
import { serverCommand } from '../typed-command.js';

interface Ended {
  readonly view: RunView;
  readonly verb: OperatorVerb;
  readonly who: Attribution;
  readonly cluster: string;
}

/**
 * A run that has ended accepts no commands; reversing its direction plans and starts the next run, with the policy of
 * the last.
 */
export async function afterTheEnd(cli: Cli, client: Client, ended: Ended): Promise<ExitStatus> {
  const { view, verb, who, cluster } = ended;
  const { word, turnsTo } = OPERATOR_VERBS[verb];
  if (turnsTo === null) {
    throw new CliError('CCM4005', `${cluster}: the run has ended and accepts no ${word}`, {
      why: 'Only a run that is open takes commands; `rollback` and `rollforward` start the next one.',
      state: 'nothing was changed',
      fix: `See \`${serverCommand(['describe', cluster], cli.options)}\`; start another with \`ccm-migrate apply\`.`,
    });
  }
  const ready = await planTurnAround(cli, client, view, turnsTo);
  switch (await agreedPlan(cli, ready)) {
    case 'empty':
      return nothingToDo(cli, word, ready);
    case 'declined':
      cli.terminal.err('nothing was changed\n');
      return 'refused';
    case 'agreed': {
      const started = await startPlanned(cli, client, ready, { ...who, wave: ready.wave });
      showStarted(cli, ready, started);
      return 'reached';
    }
  }
}
