import { describe, expect, it } from '@jest/globals';
import { readWords } from '../../../testbed/lab/commands/lab-options.js';
import { readFault } from '../../../testbed/lab/daemon/read-fault.js';

describe('the command line of the lab is checked before anything starts', () => {
  it('the command line of the lab has defaults for a first start', () => {
    expect(readWords(['up'])).toMatchObject({
      verb: 'up',
      lab: 1,
      up: { clusters: 1, nodes: 3, workers: 0, from: '1.29.15', to: '1.30.14', etcd: 'external' },
    });
  });

  it('the command line of the lab passes on what belongs to kubectl and ssh', () => {
    expect(
      readWords(['--cluster', 'lab-2', 'kubectl', 'get', 'pods', '-n', 'a', '--help']),
    ).toMatchObject({
      verb: 'kubectl',
      cluster: 'lab-2',
      help: false,
      rest: ['get', 'pods', '-n', 'a', '--help'],
    });
    expect(readWords(['ssh', 'cp-1', 'ls', '-la']).rest).toEqual(['cp-1', 'ls', '-la']);
  });

  it.each([
    [['up', '--nodes', '0'], '--nodes must be a whole number from 1 to 9'],
    [['up', '--lab', '32'], '--lab must be a whole number from 1 to 31'],
    [['up', '--etcd', 'some'], '--etcd must be one of external, stacked'],
    [['up', '--kubelets', 'some'], '--kubelets must be one of inTree, external, none'],
    [['up', '--colour', 'red'], "Unknown option '--colour'"],
  ])('the arguments %p are refused', (words, text) => {
    expect(() => readWords(words)).toThrow(text);
  });
});

describe('a requested fault is checked before it strikes', () => {
  it.each([
    { kind: 'crashNode', node: 'cp-1' },
    { kind: 'pauseManager', node: 'cp-1', manager: 'kcm' },
    { kind: 'killApiServer' },
    { kind: 'fillDisk', node: 'cp-1' },
    { kind: 'renewCertificate' },
    { kind: 'setCloudFaults', faults: [{ op: 'CreateRoute', delayMs: 5, times: 2 }] },
  ])('the fault %j is accepted', (fault) => {
    expect(readFault(JSON.stringify(fault))).toEqual(fault);
  });

  it.each([
    [{ kind: 'explode' }, 'kind must be one of'],
    [{ kind: 'crashNode' }, 'node must be a string'],
    [{ kind: 'freeDisk' }, 'node must be a string'],
    [{ kind: 'killManager', node: 'cp-1', manager: 'etcd' }, 'manager must be kcm or ccm'],
    [{ kind: 'setCloudFaults', faults: [{ delayMs: null }] }, 'delayMs must be a number'],
    [{ kind: 'setCloudFaults' }, 'faults must be a list'],
  ])('the fault %j is refused', (fault, text) => {
    expect(() => readFault(JSON.stringify(fault))).toThrow(text);
  });
});
