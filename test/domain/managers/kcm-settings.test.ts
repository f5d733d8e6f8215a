import { describe, expect, it } from '@jest/globals';
import { gateRefusal } from '../../../domain/managers/feature-gate-table.js';
import { refusedFlags } from '../../../domain/managers/kcm-flags.js';
import { kcmSettings } from '../../../domain/managers/kcm-settings.js';
import { parseArguments } from '../../../domain/managers/arguments.js';

describe('flags that a later KCM refuses', () => {
  // From the sources of both minors: registered in the earlier one, absent from the later one.
  it.each([
    ['--horizontal-pod-autoscaler-use-rest-clients=true', 22],
    ['--port=10252', 22],
    ['--port=0', 24],
    ['--port', 22],
    ['--address=127.0.0.1', 24],
    ['--deployment-controller-sync-period=30s', 24],
    ['--experimental-logging-sanitization', 24],
    ['--experimental-cluster-signing-duration=87600h', 25],
    ['--deleting-pods-qps=0.1', 25],
    ['--deleting-pods-burst=10', 25],
    ['--register-retry-count=10', 25],
    ['--logtostderr=false', 26],
    ['--alsologtostderr', 26],
    ['--log-dir=/var/log', 26],
    ['--log_dir=/var/log', 26],
    ['--log-file=/var/log/kcm.log', 26],
    ['--log-file-max-size=100', 26],
    ['--stderrthreshold=2', 26],
    ['--one-output', 26],
    ['--skip-headers', 26],
    ['--skip-log-headers', 26],
    ['--add-dir-header', 26],
    ['--log-backtrace-at=a.go:1', 26],
    ['--enable-taint-manager=false', 27],
    ['--pod-eviction-timeout=5m', 27],
    ['--horizontal-pod-autoscaler-upscale-delay=3m', 31],
    ['--horizontal-pod-autoscaler-downscale-delay=5m', 31],
    ['--volume-host-cidr-denylist=10.0.0.0/8', 31],
    ['--volume-host-allow-local-loopback=false', 31],
    ['--cloud-provider-gce-lb-src-cidrs=10.0.0.0/8', 31],
  ])('%s is refused from 1.%i on', (word, since) => {
    const found = parseArguments([word]);
    expect(refusedFlags(found, since - 1)).toEqual([]);
    expect(refusedFlags(found, since)).toMatchObject([{ since }]);
    expect(kcmSettings([word], 36).remove).toEqual([found[0]?.name]);
  });

  it.each([
    '--v=4',
    '--vmodule=a=1',
    '--logging-format=json',
    '--leader-elect',
    '--profiling=false',
  ])('%s is accepted by all minors', (word) => {
    expect(kcmSettings([word], 36)).toEqual({
      remove: [],
      set: {},
      featureGates: '',
      dropped: [],
    });
  });

  it.each([
    [['--experimental-cluster-signing-duration=1h'], '1h'],
    [['--experimental-cluster-signing-duration=1h', '--cluster-signing-duration=2h'], '2h'],
    [['--cluster-signing-duration=2h', '--experimental-cluster-signing-duration', '1h'], '1h'],
    [['--experimental-cluster-signing-duration'], ''],
  ])('a KCM with %j signs for as long as before', (words, duration) => {
    expect(kcmSettings(words, 24).set).toEqual({});
    expect(kcmSettings(words, 25)).toMatchObject({
      remove: ['experimental-cluster-signing-duration'],
      set: { 'cluster-signing-duration': duration },
    });
  });

  it('each refused flag is reported with its value, the reason and whether it had an effect', () => {
    const words = [
      '--port=0',
      '--one-output',
      '--experimental-cluster-signing-duration=1h',
      '--feature-gates=CSRDuration=true,Own=false',
    ];
    const { dropped, featureGates } = kcmSettings(words, 26);
    expect(featureGates).toBe('Own=false');
    expect(dropped.map(({ setting, why, idle }) => [setting, why, idle])).toEqual([
      ['--port=0', 'refused since 1.24', true],
      ['--one-output', 'refused since 1.26', false],
      [
        '--experimental-cluster-signing-duration=1h',
        'refused since 1.25, replaced by --cluster-signing-duration',
        true,
      ],
      ['--feature-gates=CSRDuration=true', 'unknown since 1.26', false],
    ]);
    for (const { source } of dropped) expect(source).toMatch(/kubernetes/);
  });
});

describe('gates that a later KCM refuses', () => {
  it.each([
    ['TTLAfterFinished', 'true', 24, null],
    ['TTLAfterFinished', 'true', 25, 'unknown since 1.25'],
    ['CSIMigrationGCE', 'false', 24, null],
    ['CSIMigrationGCE', 'false', 25, 'locked to true since 1.25'],
    ['CSIMigrationGCE', 'true', 27, null],
    ['CSIMigrationGCE', 'true', 28, 'unknown since 1.28'],
    ['ExperimentalHostUserNamespaceDefaulting', 'true', 28, 'locked to false since 1.28'],
    ['ExperimentalHostUserNamespaceDefaulting', 'false', 29, null],
    ['ControllerManagerLeaderMigration', 'true', 27, 'unknown since 1.27'],
    ['DisableCloudProviders', 'true', 32, null],
    ['DisableCloudProviders', 'true', 33, 'unknown since 1.33'],
    ['AllAlpha', 'true', 36, null],
    ['kube:Own', 'true', 36, null],
  ])('the refusal of the gate %s=%s at 1.%i is: %s', (name, value, minor, refusal) => {
    expect(gateRefusal(name, value, minor)).toBe(refusal);
  });
});
