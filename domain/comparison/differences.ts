import { objectIdentity, type ComparedObject, type ListsThenAndNow } from './compared-object.js';
import { type FactKind, type FactRule, FACT_RULES } from './fact-rules.js';

/** A fact of one object that is not what it was. `then` and `now` are absent where the fact was. */
export interface ObjectDifference {
  readonly object: Omit<ComparedObject, 'facts'>;
  readonly fact: string;
  readonly then: string | null;
  readonly now: string | null;
}

/**
 * The differences that no rule explains, of objects that are there at both times. What users or autoscalers made or deleted
 * meanwhile is none: other gates count that.
 */
export function unexplainedDifferences(lists: ListsThenAndNow): readonly ObjectDifference[] {
  const { then, now } = lists;
  const present = new Map(now.objects.map((each) => [objectIdentity(each), each]));
  const ofObjects = then.objects.flatMap((before) => {
    const after = present.get(objectIdentity(before));
    return after === undefined ? [] : differencesOf(before, after).filter(isUnexplained);
  });
  return [...ofObjects, ...differencesOfCloud(lists)];
}

/** Of load balancers as the cloud lists them, which may lose what their Services still show. */
function differencesOfCloud({ then, now }: ListsThenAndNow): readonly ObjectDifference[] {
  if (then.cloud === undefined) return [];
  if (now.cloud === undefined) {
    const object = { kind: 'LoadBalancer', key: 'of the cloud', uid: '' } as const;
    return [{ object, fact: 'list', then: '', now: null }];
  }
  const served = new Set(now.loadBalancers.flatMap(({ addresses }) => addresses));
  const gone = new Set(then.cloud.nodes);
  for (const node of now.cloud.nodes) gone.delete(node);
  const present = new Map(now.cloud.balancers.map((each) => [each.key, each]));
  return then.cloud.balancers.flatMap((before) => {
    const after = present.get(before.key) ?? { ...before, facts: {} };
    const isGone = after !== present.get(before.key);
    return differencesOf(before, after)
      .filter(isUnexplained)
      .filter(({ fact }) => (isGone ? isServed(fact, served) : !gone.has(nameIn(fact))));
  });
}

/** A balancer that went with its Service is none that was lost. */
function isServed(fact: string, served: ReadonlySet<string>): boolean {
  return kindOf(fact) === 'address' && served.has(nameIn(fact));
}

/** What follows the kind. */
function nameIn(fact: string): string {
  return fact.slice(kindOf(fact).length + 1);
}

/** Names of workers that are no longer there. */
export function goneWorkers({ then, now }: ListsThenAndNow): readonly string[] {
  const present = new Set(now.workers);
  return then.workers.filter((name) => !present.has(name));
}

function differencesOf(
  { kind, key, uid, facts: before }: ComparedObject,
  { facts: after }: ComparedObject,
): readonly ObjectDifference[] {
  // An annotation may have any name, also one of an object's own members.
  const [then, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...then.keys(), ...now.keys()])].sort().flatMap((fact) => {
    const [was, is] = [then.get(fact) ?? null, now.get(fact) ?? null];
    return was === is ? [] : [{ object: { kind, key, uid }, fact, then: was, now: is }];
  });
}

function isUnexplained({ fact, then, now }: ObjectDifference): boolean {
  const rule = ruleOf(fact);
  if (then === null) return rule.gained === 'unexplained';
  return (now === null ? rule.lost : rule.changed) === 'unexplained';
}

/** A list of another build may know other kinds: their changes are never expected. */
function ruleOf(fact: string): FactRule {
  const kind = kindOf(fact);
  return isFactKind(kind) ? FACT_RULES[kind] : FACT_RULES.finalizer;
}

function kindOf(fact: string): string {
  return fact.split(' ', 1).join('');
}

function isFactKind(word: string): word is FactKind {
  return Object.hasOwn(FACT_RULES, word);
}

/** Facts whose values may hold what users keep to themselves: digests stand for them, which tell people nothing. */
const HIDDEN: readonly string[] = ['annotation' satisfies FactKind];

/** For people. */
export function differenceText({
  object: { kind, key },
  fact,
  then,
  now,
}: ObjectDifference): string {
  return `${kind} ${key}: ${changeText(fact, then, now)}`;
}

function changeText(fact: string, then: string | null, now: string | null): string {
  if (then === null) return `${fact} was added`;
  if (now === null) return `${fact} is gone`;
  return HIDDEN.includes(kindOf(fact)) || then === '' || now === ''
    ? `${fact} changed`
    : `${fact} was ${then} and is ${now}`;
}
