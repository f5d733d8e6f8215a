import { gone, lostAtCloud } from './cloud-balancers.js';
import {
  type ComparedObject,
  type ListsThenAndNow,
  type ObjectDifference,
  objectIdentity,
} from './compared-object.js';
import { type FactKind, type FactRule, FACT_RULES } from './fact-rules.js';

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
  if (now.cloud === undefined) return [gone('of the cloud', 'list')];
  const served = now.loadBalancers.flatMap(({ addresses }) => addresses);
  return lostAtCloud(then.cloud, now.cloud, served);
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
