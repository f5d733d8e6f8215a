/** Guards of observations: what runs is what was read at its start, and losses are detected by comparable lists only. */
const READER = 'activities/observe/manifest-reader.ts';

const settings = (only) => ({ tests: ['test/activities/observe/manifests.test'], only });

const FIRST = 'activities/observe/first-observation.ts';
const first = (only) => ({ tests: ['test/activities/stories/first-observation.test'], only });

export const OBSERVATION_GUARDS = [
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
    name: 'verify: only the list that the inventory was made from shows what existed',
    file: 'activities/observe/inventory.ts',
    from: 'ingressDigest(then) === services.ingressDigest ? { then, now } : null',
    to: '{ then, now }',
    tests: ['test/activities/stories/verify.test'],
    only: 'does not use the list of a later observation',
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
    name: 'soak: it completes only with an inventory of its end',
    file: 'activities/soak.ts',
    from: 'if (!isDue && nowMs < completeAtMs) return',
    to: 'if (!isDue) return',
    tests: ['test/activities/stories/soak.test'],
    only: 'not complete before the inventory of its end',
  },
];
