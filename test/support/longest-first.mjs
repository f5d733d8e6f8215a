import Sequencer from '@jest/test-sequencer';

/**
 * The suites that take longest, longest first. In a fresh clone jest knows no durations and sorts by file size: a short file that computes
 * for a minute would come last, with one core idle beside it.
 */
const LONGEST = [
  'test/whole-run/whole-run.test.ts',
  'test/cli/terminal-sessions/first-user.test.ts',
  'test/cli/readme.test.ts',
  'test/model/model.test.ts',
  'test/workflows/many-clusters.test.ts',
  'test/model/properties.test.ts',
  'test/faults/fault-matrix.test.ts',
  'test/whole-run/optional-phases.test.ts',
  'test/activities/stories/conformance.test.ts',
  'test/whole-run/large-cluster.test.ts',
  'test/crash/crash.test.ts',
  'test/workflows/turning.test.ts',
  'test/proven/repaired.test.ts',
  'test/proven/refused.test.ts',
  'test/testbed/lab/there-and-back.test.ts',
  'test/testbed/lab/faults/gates.test.ts',
  'test/testbed/lab/faults/stale-holder.test.ts',
  'test/testbed/lab/faults/prometheus.test.ts',
  'test/testbed/lab/truth/four-truths.test.ts',
];
/** Of the lab, one after the other: what a check within an hour must have shown comes first, and this last. */
const LAST = [
  'test/testbed/lab/oracle/oracle.test.ts',
  'test/testbed/lab/runs/optional-phases.test.ts',
];

function rank({ path }) {
  if (LAST.some((suite) => path.endsWith(suite))) return LONGEST.length + 1;
  const index = LONGEST.findIndex((suite) => path.endsWith(suite));
  return index === -1 ? LONGEST.length : index;
}

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
