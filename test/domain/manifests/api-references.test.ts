import { expect, it } from '@jest/globals';
import { apiReferences } from '../../../domain/manifests/api-references.js';

const pod = (spec: string): string => `kind: Pod\nmetadata: { name: ccm }\nspec: ${spec}\n`;
const container = (fields: string): string => pod(`{ containers: [{ name: ccm, ${fields} }] }`);

it.each<readonly [string, string, ...string[]]>([
  [
    'a Pod that refers to nothing',
    pod('{ hostNetwork: true, volumes: [{ name: c, hostPath: { path: /etc/c } }] }'),
  ],
  ['an account', pod('{ serviceAccountName: ccm, serviceAccount: ccm }'), 'ServiceAccount ccm'],
  ['no account at all', pod('{ serviceAccountName: "", imagePullSecrets: [], volumes: null }')],
  [
    'volumes',
    pod(
      '{ volumes: [{ name: a, configMap: { name: conf } }, { name: b, secret: { secretName: key } }, { name: c, persistentVolumeClaim: { claimName: disk } }] }',
    ),
    'ConfigMap conf',
    'Secret key',
    'PersistentVolumeClaim disk',
  ],
  [
    'a projected volume',
    pod(
      '{ volumes: [{ projected: { sources: [{ serviceAccountToken: { path: token } }, { configMap: { name: ca } }] } }] }',
    ),
    'ServiceAccount token',
    'ConfigMap ca',
  ],
  [
    'its environment',
    container(
      'env: [{ name: A, valueFrom: { secretKeyRef: { name: s, key: k } } }], envFrom: [{ configMapRef: { name: m } }]',
    ),
    'Secret s',
    'ConfigMap m',
  ],
  ['pull secrets', pod('{ imagePullSecrets: [{ name: registry }] }'), 'Secret registry'],
  ['claims without a name', pod('{ resourceClaims: [gpu] }'), 'ResourceClaim'],
  ['the text of a label or a name', 'kind: Pod\nmetadata: { labels: { secret: x } }\nspec: {}\n'],
  ['invalid YAML', '{'],
  ['an empty text', ''],
  ['a list', '- a\n'],
  ['a text', pod('secret')],
])('the objects that a manifest refers to are found: %s', (_, text, ...expected) => {
  expect(apiReferences(text)).toEqual(expected);
});
