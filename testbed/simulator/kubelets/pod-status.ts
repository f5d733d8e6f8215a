import type { PodRun, ContainerRun } from './pod-run.js';

/** A pod's status as its kubelet reports it. */
export function podStatus(run: PodRun, hostIp: string): Readonly<Record<string, unknown>> {
  const ready = run.states.every((state) => state.phase === 'running');
  const startTime = new Date(run.startedAtMs).toISOString();
  const conditions = [
    { type: 'Initialized', status: 'True', lastTransitionTime: startTime },
    { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: startTime },
    { type: 'ContainersReady', status: ready ? 'True' : 'False', lastTransitionTime: startTime },
    { type: 'PodScheduled', status: 'True', lastTransitionTime: startTime },
  ];
  const everStarted = run.states.every(
    (state) => state.phase === 'running' || state.lastExit !== null,
  );
  return {
    phase: everStarted ? 'Running' : 'Pending',
    hostIP: hostIp,
    podIP: hostIp,
    startTime,
    conditions,
    containerStatuses: run.states.map(containerStatus),
  };
}

function containerStatus(state: ContainerRun): Readonly<Record<string, unknown>> {
  const { container, lastExit, restartCount } = state;
  const isRunning = state.phase === 'running';
  return {
    name: container.name,
    image: container.image,
    imageID: container.image,
    ready: isRunning,
    started: isRunning,
    restartCount,
    state: isRunning
      ? { running: { startedAt: new Date(state.startedAtMs).toISOString() } }
      : { waiting: { reason: state.reason } },
    lastState:
      lastExit === null
        ? {}
        : {
            terminated: {
              exitCode: lastExit.code,
              reason: 'Error',
              message: lastExit.reason,
              finishedAt: new Date(lastExit.atMs).toISOString(),
            },
          },
  };
}
