import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildFlags, goModule, moduleFolders } from '../../../testbed/lab/binaries/go-module.js';
import { buildableVersion } from '../../../testbed/lab/binaries/kubernetes-version.js';
import { goSources, sourceDigest } from '../../../testbed/lab/binaries/source-digest.js';

/** As in k8s.io/kubernetes: both spellings of a require, a replaced folder, and modules of other projects. */
const UPSTREAM = `module k8s.io/kubernetes

go 1.21

require (
	github.com/google/gnostic-models v0.6.8
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.110.1
	k8s.io/cloud-provider v0.0.0 // a remark
	k8s.io/utils v0.0.0-20230726121419-3b25d923346b
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/endpointslice => ./staging/src/k8s.io/endpointslice
)

replace k8s.io/mount-utils => ./staging/src/k8s.io/mount-utils
`;

describe('the generated Go module builds a version from its release', () => {
  it('the generated Go module replaces each staging module by its release, and nothing else', () => {
    expect(goModule(buildableVersion('1.29.15'), UPSTREAM)).toBe(`module ccm-migrate.dev/lab

go 1.22.0

require k8s.io/kubernetes v1.29.15

replace (
	k8s.io/api => k8s.io/api v0.29.15
	k8s.io/cloud-provider => k8s.io/cloud-provider v0.29.15
	k8s.io/endpointslice => k8s.io/endpointslice v0.29.15
	k8s.io/mount-utils => k8s.io/mount-utils v0.29.15
)
`);
  });

  it("the Go module is not generated from another module's go.mod", () => {
    const make = (): string => goModule(buildableVersion('1.30.14'), 'module k8s.io/other\n');
    expect(make).toThrow('lists no staging module');
  });

  it('the Go module stamps the version into both packages that hold one', () => {
    const linker =
      buildFlags(buildableVersion('1.30.14')).find((flag) => flag.includes('-X')) ?? '';
    expect(linker).toContain('-X k8s.io/component-base/version.gitVersion=v1.30.14');
    expect(linker).toContain('-X k8s.io/client-go/pkg/version.gitMinor=30');
  });

  it('the Go module uses the older CCM for 1.27, and only sources that exist', () => {
    const ccmOf = (version: string): string | undefined =>
      moduleFolders(buildableVersion(version)).find(([, name]) => name.startsWith('cloud'))?.[0];
    expect(ccmOf('1.27.4')).toBe('cloud-controller-manager-1.27');
    expect(ccmOf('1.28.15')).toBe('cloud-controller-manager');
    for (const version of ['1.27.4', '1.30.14']) {
      for (const [source] of moduleFolders(buildableVersion(version))) {
        expect(existsSync(join(goSources(), source))).toBe(true);
      }
    }
  });

  it('the Go module has another digest for another version', () => {
    const [a, b] = ['1.29.15', '1.30.14'].map((text) => sourceDigest(buildableVersion(text)));
    expect(a).toMatch(/^[0-9a-f]{12}$/);
    expect(a).not.toBe(b);
  });

  it.each(['1.26.1', '1.31.0', 'v1.30.14', '1.30', '1.30.14-rc.1'])(
    'the Go module refuses %s',
    (text) => {
      expect(() => buildableVersion(text)).toThrow('not a version that the lab builds');
    },
  );
});
