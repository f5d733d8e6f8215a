/**
 * Guards of observations: what runs is what was read at its start, losses are detected by comparable lists only, and a resting
 * cluster needs few connections without anything ever waiting for a request that hangs.
 */
const READER = 'activities/observe/manifest-reader.ts';

const TRANSPORT = 'activities/adapters/credentials/transport.ts';
const IN_TURN = 'activities/observe/in-turn.ts';

const turns = (only) => ({ tests: ['test/activities/observe/in-turn.test'], only });
const oneAtATime = (only) => ({ tests: ['test/activities/stories/one-at-a-time.test'], only });
const settings = (only) => ({ tests: ['test/activities/observe/manifests.test'], only });

const FIRST = 'activities/observe/first-observation.ts';
const first = (only) => ({ tests: ['test/activities/stories/first-observation.test'], only });
const moved = {
  tests: ['test/domain/gates/hard-gates.test'],
  only: 'moves one machine at a time, and all other nodes count',
};
const workers = (only) => ({ tests: ['test/activities/stories/two-workers.test'], only });

export const OBSERVATION_GUARDS = [
  {
    name: 'transport: the readings of gates need no connections beside each other',
    file: 'activities/gates/open-sampler.ts',
    from: 'ports: oneAtATime(ports)',
    to: 'ports',
    ...turns('the readings of its gates need none beside it'),
  },
  {
    name: 'hard gates: two owners that are certain are not made unknown by what is hidden beside them',
    file: 'domain/gates/hard-gates.ts',
    from: ' || controllers.some((each) => isSharedForCertain(observation, each))',
    to: '',
    tests: ['test/domain/gates/hard-gates.test'],
    only: 'two owners, and more hidden',
    composed: true,
  },
  {
    name: 'hard gates: one owner beside something hidden is not two',
    file: 'domain/ownership/owners.ts',
    from: 'return certain.length > 1;',
    to: 'return certain.length > 0;',
    tests: ['test/domain/gates/hard-gates.test'],
  },
  {
    name: 'hard gates: the node of a machine that has failed counts',
    file: 'domain/gates/hard-gates.ts',
    from: "({ state }) => state !== 'failed'",
    to: "({ state }) => state !== 'ordered'",
    ...moved,
  },
  {
    name: 'hard gates: one machine is on its way, and no more',
    file: 'domain/gates/hard-gates.ts',
    from: 'return nodes.filter((node) => node !== excused);',
    to: 'return nodes.filter((node) => node !== excused && !(moving.has(node.name) && node.ready !== "yes"));',
    ...moved,
  },
  {
    name: 'hard gates: a machine that is Ready is not the one on its way',
    file: 'domain/gates/hard-gates.ts',
    from: "moving.has(name) && (ready !== 'yes' || !reachable)",
    to: "moving.has(name) && (ready !== 'yes' || reachable)",
    tests: ['test/domain/gates/hard-gates.test'],
    only: 'is no reason to pass over one that leaves',
  },
  {
    name: 'observations: a file whose content differs from what its name promises runs nowhere (P20)',
    file: READER,
    from: 'shortHash(hash) === named ?',
    to: 'shortHash(hash) !== path ?',
    ...settings('the file was edited after the start'),
  },
  {
    name: 'observations: a file that is newer than the process was not read by it (P20)',
    file: READER,
    from: 'changedAtMs <= startedAtMs',
    to: 'changedAtMs >= 0',
    ...settings('a file under the operator'),
  },
  {
    name: 'soak: only the list that the inventory was made from shows what existed',
    file: 'activities/observe/inventory.ts',
    from: 'ingressDigest(then) === services.ingressDigest ? { then, now } : null',
    to: '{ then, now }',
    tests: ['test/activities/observe/readings.test'],
    only: 'a list counts beside the inventory',
  },
  {
    name: 'verify: an address that moved to another Service is lost to the first',
    file: 'domain/observation/load-balancers.ts',
    from: 'if (after === undefined || after.leaving) return [];',
    to: 'return [];',
    tests: ['test/domain/gates/survival-gates.test'],
    only: 'addresses of load balancers',
  },
  {
    name: 'verify: by counts alone, an address that came is no address that changed',
    file: 'domain/gates/survival-gates.ts',
    from: `    now.services.loadBalancers === then.services.loadBalancers &&
    now.services.pending === then.services.pending;`,
    to: '    now.services.loadBalancers === then.services.loadBalancers;',
    tests: ['test/domain/gates/survival-gates.test'],
    only: 'waited and has its address now',
  },
  {
    name: 'observation: a file that a manager names again under another path is read at once',
    file: 'activities/observe/read-live.ts',
    from: 'if (isWithin(named, wanted)) return first;',
    to: 'if (wanted.files.length > 0) return first;',
    tests: ['test/activities/stories/node-requests.test'],
    only: 'one request where its managers name',
  },
  {
    name: 'first observation: what the check read counts only where no run held the fence in between',
    file: FIRST,
    from: ' && now.epoch === (before?.epoch ?? 0) + 1',
    to: '',
    ...first('another run held the fence after the check'),
  },
  {
    name: 'first observation: what the check read counts only where the fence was free',
    file: FIRST,
    from: 'return wasFree && now',
    to: 'return now',
    ...first('another run held the fence during the check'),
  },
  {
    name: 'first observation: what the check read counts for a minute',
    file: FIRST,
    from: 'start !== null && clock.nowMs() - start.atMs <= LONGEST_MS',
    to: 'start !== null',
    ...first('older than a minute'),
  },
  {
    name: 'first observation: what the check read counts once',
    file: 'activities/observe/observation-cache.ts',
    from: '      starts.delete(runId);\n      return start;',
    to: '      return start;',
    ...first('a second one reads everything itself'),
  },
  {
    name: 'workers: what another one may have changed since is read again',
    file: 'activities/observe/observation-cache.ts',
    from: 'last?.id === input.observationId ? last : undefined',
    to: 'last',
    ...workers('before another one wrote'),
  },
  {
    name: 'workers: a second attempt reads everything again',
    file: 'activities/index.ts',
    from: 'scope.isRetry === true',
    to: 'scope.isRetry === null',
    ...workers('a second attempt'),
  },
  {
    name: 'workers: a right that is granted while a step awaits an election counts',
    file: 'activities/execute/execute-effect.ts',
    from: "? [] : ['rights']",
    to: '? [] : []',
    ...workers('while a step awaits an election'),
  },
  {
    name: 'soak: it completes only with an inventory of its end',
    file: 'activities/soak.ts',
    from: 'if (!isDue && nowMs < completeAtMs) return',
    to: 'if (!isDue) return',
    tests: ['test/activities/stories/soak.test'],
    only: 'not complete before the inventory of its end',
  },
  {
    name: 'connections: no request shares one with another (ADR 17)',
    file: TRANSPORT,
    from: 'allowH2: false,',
    to: 'allowH2: true,',
    tests: ['test/activities/adapters/http/transport-faults.test'],
    only: 'a request that gets no answer',
  },
  {
    name: 'connections: a request waits until the connection of the one before it is free',
    file: TRANSPORT,
    from: '      await nextTurn();\n',
    to: '',
    ...turns('needs one connection'),
  },
  {
    name: 'requests in turn: each waits for the one before it',
    file: IN_TURN,
    from: '    await before;\n',
    to: '',
    ...turns('a request begins when'),
  },
  {
    name: 'requests in turn: one that hangs holds up the others for a moment only',
    file: IN_TURN,
    from: 'setTimeout(pass, LATE_MS)',
    to: 'setTimeout(pass, 1_000 * LATE_MS)',
    ...turns('a request that hangs'),
  },
  {
    name: 'requests in turn: not where a step waits for its guard',
    file: 'activities/guard/guard-cluster.ts',
    from: 'rested: !(await watch.rest(fence, idlePaceMs(input)))',
    to: 'rested: (await watch.rest(fence, idlePaceMs(input))) || true',
    ...oneAtATime('for which a step waits'),
  },
  {
    name: 'gates: a resting guard rests no longer than its gates bear',
    file: 'activities/guard/guard-cluster.ts',
    from: 'Math.min(guardIdleMs, fenceRenewIdleMs, gatesMs)',
    to: 'Math.min(guardIdleMs, fenceRenewIdleMs)',
    tests: ['test/activities/stories/resting-guard.test'],
    only: 'a resting guard reads its gates as often as policy bears',
  },
  {
    name: 'requests in turn: not after a round that failed',
    file: 'activities/guard/guard-round.ts',
    from: 'unhurried: rested && !missed,',
    to: 'unhurried: rested,',
    ...oneAtATime('whose round failed'),
  },
  {
    name: 'requests in turn: not while a run waits for its guard',
    file: 'activities/await-change.ts',
    from: "unhurried: input.goal.kind !== 'guarded'",
    to: 'unhurried: true',
    ...oneAtATime('waits for its guard, as a step does'),
  },
  {
    name: 'digests: a digest is kept as its characters, not as a tree of its parts',
    file: 'domain/digest.ts',
    from: "return ['sha256:', ...hex].join('');",
    to: "return hex.reduce<string>((text, byte) => text + (byte ?? ''), 'sha256:');",
    tests: ['test/domain/digest.test'],
    only: 'costs little more than its characters',
  },
];
