/** Guards of the population of runs: what is missing is missed. */
const gap = (only) => ({ tests: ['test/domain/evidence/population.test'], only });
const FILE = 'domain/evidence/population.ts';

export const POPULATION_GUARDS = [
  {
    name: 'population: each epoch has its run',
    file: FILE,
    from: '...missingEpochs(first, last, known).map(',
    to: '...missingEpochs(last, last - 1, known).map(',
    ...gap('at the beginning'),
  },
  {
    name: 'population: clusters are known by their UID',
    file: FILE,
    from: 'runs.filter((run) => run.uid === uid)',
    to: "runs.filter((run) => run.uid !== '')",
    ...gap('by its UID'),
  },
  {
    name: 'population: a fence does not fall',
    file: FILE,
    from: '...(most > epoch ?',
    to: '...(most > epoch + most ?',
    ...gap('tells of a fence that fell behind'),
  },
  {
    name: 'population: one epoch is of one run',
    file: FILE,
    from: 'taken.indexOf(each) !== index',
    to: 'taken.indexOf(each) > index',
    ...gap('of an epoch that two runs took'),
  },
  {
    name: 'population: each run that has ended is exported',
    file: FILE,
    from: 'listed && !exported && endedAtMs !== null',
    to: 'listed && exported && endedAtMs === null',
    ...gap('wants an export of each run that has ended'),
  },
  {
    name: 'population: a run is kept for its time',
    file: FILE,
    from: 'return !listed && endedAtMs !== null && endedAtMs + retentionMs > nowMs;',
    to: 'return !listed && endedAtMs !== null && endedAtMs > nowMs + retentionMs;',
    ...gap('finds a run that was deleted before its time'),
  },
];
