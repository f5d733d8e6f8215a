import { VERB_RULES } from '../../domain/authority/verb-roles.js';
import type { PauseWindow } from '../../domain/invariants/trace.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import {
  alertOvertakes,
  automationIn,
  isAutomation,
  ruleOnAutomation,
  type WordToGoOn,
} from '../../domain/run/automation.js';
import type { OperatorCommand } from '../../domain/run/operator-command.js';
import type { RecordedEvent } from './recorded-run.js';

type Recorded<Kind extends RecordedEvent['kind']> = RecordedEvent & { readonly kind: Kind };
type Sent = Pick<Recorded<'command'>, 'command' | 'atMs'>;

/**
 * From a pause to the next `resume`: no step may begin in between. One while it is paused pauses nothing more. Automation's pauses
 * what goes forward: a rollback goes on. Only what the run took counts: an alert that it refused pauses nothing, and one that
 * may not roll back pauses.
 */
export function pausesIn(
  events: readonly RecordedEvent[],
  policy: MigrationPolicy,
): readonly PauseWindow[] {
  const run = new Pausable(events, policy);
  const pauses: PauseWindow[] = [];
  let paused: number | null = null;
  for (const [atMs, event] of events.entries()) {
    run.hear(event);
    if (run.isPaused()) paused ??= atMs;
    else if (paused !== null) {
      pauses.push({ fromMs: paused, toMs: atMs });
      paused = null;
    }
  }
  return paused === null ? pauses : [...pauses, { fromMs: paused, toMs: Infinity }];
}

/** What the record says of commands, followed as the run follows them. */
class Pausable {
  readonly #policy: MigrationPolicy;
  readonly #beganAtMs: number | null;
  /** Ids of commands of which a worker was to say whose they are: they have no effect before. */
  readonly #admitted: ReadonlySet<string>;
  /** Ids of commands that the run said it refused. */
  readonly #refused: ReadonlySet<string>;
  readonly #heard = new Set<string>();
  readonly #waiting = new Map<string, Sent & { overtaken: boolean }>();
  #by = { person: false, alert: false };
  #goesBack = false;
  #lastWord: WordToGoOn | null = null;

  constructor(events: readonly RecordedEvent[], policy: MigrationPolicy) {
    this.#policy = policy;
    this.#beganAtMs = ofKind(events, 'began')[0]?.atMs ?? null;
    this.#admitted = new Set(ofKind(events, 'admission').map(({ commandId }) => commandId));
    this.#refused = new Set(ofKind(events, 'refusals').flatMap(({ commandIds }) => commandIds));
  }

  hear(event: RecordedEvent): void {
    if (event.kind === 'observed') this.#goesBack = event.input.decide.target === 'kcm';
    if (event.kind === 'command') this.#receive(event);
    if (event.kind === 'admission') this.#admit(event);
  }

  isPaused(): boolean {
    return this.#by.person || (this.#by.alert && !this.#goesBack);
  }

  /** The same id is applied once. A brake takes effect at once, and what was sent before it and still waits does not undo it. */
  #receive({ command, atMs }: Sent): void {
    if (this.#heard.has(command.commandId)) return;
    this.#heard.add(command.commandId);
    const { isBrake } = VERB_RULES[command.verb];
    if (isBrake) this.#overtake(isAutomation(command.actor));
    if (isBrake || !this.#admitted.has(command.commandId)) this.#take({ command, atMs }, false);
    else this.#waiting.set(command.commandId, { command, atMs, overtaken: false });
  }

  #overtake(byAlert: boolean): void {
    for (const sent of this.#waiting.values()) {
      if (!byAlert || alertOvertakes(sent.command.verb)) sent.overtaken = true;
    }
  }

  #admit({ commandId, isAdmitted, byAutomation }: Recorded<'admission'>): void {
    const sent = this.#waiting.get(commandId);
    this.#waiting.delete(commandId);
    if (sent === undefined) return;
    const { command, overtaken } = sent;
    if (isAdmitted && !overtaken) this.#take(sent, byAutomation);
    // The alert is there, and a brake needs no signature.
    else if (isAutomation(command.actor)) {
      this.#take({ ...sent, command: { ...command, verb: 'pause' } }, true);
    }
  }

  #take(sent: Sent, byAutomation: boolean): void {
    const { command, atMs } = sent;
    const { actor } = command;
    if (byAutomation || isAutomation(actor)) this.#obey(command);
    else if (command.verb === 'pause') this.#by.person = true;
    else if (this.#isWordToGoOn(command)) {
      this.#lastWord = { actor, atMs };
      if (command.verb === 'resume') this.#by = { person: false, alert: false };
    }
  }

  #obey({ verb, alertSinceMs, alertOver }: OperatorCommand): void {
    // Such a one only notes that the alert is over.
    if (alertOver !== undefined) return;
    const ruling = ruleOnAutomation(
      {
        policy: automationIn(this.#policy),
        beganAtMs: this.#beganAtMs,
        lastWord: this.#lastWord,
      },
      { verb, alertSinceMs: alertSinceMs ?? null },
    );
    if (ruling.kind === 'obeyed' && ruling.verb === 'pause') this.#by.alert = true;
  }

  /** A run that has not ended does not say what it refused: a `retry` counts where nothing says otherwise. */
  #isWordToGoOn({ verb, commandId }: OperatorCommand): boolean {
    if (this.#refused.has(commandId)) return false;
    if (verb === 'resume') return this.#by.person || this.#by.alert;
    if (verb === 'retry') return !this.isPaused();
    return verb === 'rollForward' && this.#goesBack;
  }
}

function ofKind<Kind extends RecordedEvent['kind']>(
  events: readonly RecordedEvent[],
  kind: Kind,
): readonly Recorded<Kind>[] {
  return events.filter((event): event is Recorded<Kind> => event.kind === kind);
}
