import Sequencer from '@jest/test-sequencer';

/**
 * The suites that take longest, longest first. In a fresh clone jest knows no durations and sorts by file size: a short file that computes
 * for a minute would come last, with one core idle beside it.
 */
const LONGEST = [
  'test/whole-run/whole-run.test.ts',
  'test/cli/terminal-sessions/first-user.test.ts',
  'test/cli/readme.test.ts',
  'test/activities/authority/signed-course.test.ts',
  'test/whole-run/population.test.ts',
  'test/hostile/hostile.test.ts',
  'test/whole-run/authority.test.ts',
  'test/activities/stories/least-rights.test.ts',
  'test/versions/every-version.test.ts',
  'test/model/model.test.ts',
  'test/workflows/many-clusters.test.ts',
  'test/whole-run/optional-phases.test.ts',
  'test/faults/fault-matrix.test.ts',
  'test/activities/stories/probes.test.ts',
  'test/activities/stories/shown-changes.test.ts',
  'test/activities/stories/lost-answers.test.ts',
  'test/cli/audit/second-verifier.test.ts',
  'test/hand-made/hand-made.test.ts',
  'test/workflows/fleet-commands.test.ts',
  'test/testbed/demo/rehearsal/whole-rehearsal.test.ts',
  'test/whole-run/shared-evidence.test.ts',
  'test/workflows/fleet.test.ts',
];
/**
 * Suites on labs, one after the other and behind all that need no lab: they leave themselves out where no time is left, which the others do
 * not. What a check within an hour must have shown comes first.
 */
const ON_LABS = [
  ...['there-and-back', 'faults/gates', 'faults/stale-holder', 'faults/prometheus'],
  ...['truth/four-truths', 'lab', 'two-waves', 'kubelet-restart', 'contracts', 'request-corpus'],
  ...['ccm-metrics', 'faults/disk-and-certificate', 'etcd-members', 'runs/moments'],
  ...['runs/optional-phases', 'oracle/oracle'],
].map((name) => `test/testbed/lab/${name}.test.ts`);

function rank({ path }) {
  const onLab = ON_LABS.findIndex((suite) => path.endsWith(suite));
  if (onLab !== -1) return LONGEST.length + 1 + onLab;
  const index = LONGEST.findIndex((suite) => path.endsWith(suite));
  return index === -1 ? LONGEST.length : index;
}

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
