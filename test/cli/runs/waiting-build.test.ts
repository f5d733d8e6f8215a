import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { waitingBuild } from '../../../cli/runs/waiting-build.js';

/** `null`: a worker without versioning. */
type Poller = readonly [build: string | null, lastS: number];

const poller = ([build, seconds]: Poller) => ({
  lastAccessTime: { seconds, nanos: 0 },
  deploymentOptions: {
    ...{ deploymentName: 'ccm-migrate', buildId: build ?? 'unused' },
    workerVersioningMode: build === null ? 1 : 2,
  },
});

/** A server with a run that is pinned to a build or not, a current build or none, and workers that poll. */
function serverWith(
  pinned: string | null,
  current: string | null,
  pollers: readonly Poller[],
  closeTime?: Date,
) {
  const own = { behavior: pinned === null ? 2 : 1, deploymentVersion: { buildId: pinned } };
  const describe = {
    taskQueue: 'q',
    closeTime,
    raw: { workflowExecutionInfo: { versioningInfo: own } },
  };
  const queue = {
    versioningInfo: {
      currentDeploymentVersion: current === null ? null : { buildId: current },
    },
    pollers: pollers.map(poller),
  };
  return {
    options: { namespace: 'default' },
    workflow: { getHandle: () => ({ describe: () => Promise.resolve(describe) }) },
    workflowService: { describeTaskQueue: () => Promise.resolve(queue) },
  } as unknown as Client;
}

const said = (...server: Parameters<typeof serverWith>): Promise<string> =>
  waitingBuild(serverWith(...server), 'w', '');

describe('which build a run without an answer waits for', () => {
  it('a fleet that is pinned to a build whose workers are gone wants them back, whatever is current', async () => {
    expect(await said('old', 'new', [['new', 9]])).toBe(
      'the server keeps it for build old, whose workers do not answer: start one of that build until it has moved on to build new',
    );
  });

  it('a run that goes on with the current build wants the one that polls to be made current', async () => {
    expect(await said(null, 'old', [['new', 9]])).toMatch(
      /^the server keeps it for build old, .* --deployment-name ccm-migrate --build-id new$/,
    );
    expect(await said(null, null, [['new', 9]])).toMatch(/^no build is current, .* new$/);
  });

  it('a fleet that has ended waits for nothing', async () => {
    expect(await said('old', 'new', [['new', 9]], new Date())).toBe('build old ended it');
  });

  it('names no build of several that wait', async () => {
    const pollers: readonly Poller[] = [
      ['new', 9],
      ['newer', 8],
    ];
    expect(await said(null, 'old', pollers)).toMatch(/--build-id BUILD$/);
  });

  it('workers without versioning get nothing of what is kept for a build', async () => {
    expect(await said(null, 'old', [[null, 9]])).toMatch(
      /those without CCM_MIGRATE_WORKER_VERSIONING=on get none of it$/,
    );
  });

  it.each<[string, ...Parameters<typeof serverWith>]>([
    ['no worker polls', null, 'new', []],
    ['only the build that is wanted polls', null, 'new', [['new', 9]]],
    ['no one uses versioning', null, null, [[null, 9]]],
    [
      'the older build has left before',
      null,
      'new',
      [
        ['old', 5],
        ['new', 9],
      ],
    ],
  ])('says nothing of builds where %s', async (_where, ...server) => {
    expect(await said(...server)).toBe('');
  });
});
