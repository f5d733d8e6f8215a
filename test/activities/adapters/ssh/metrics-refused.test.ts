import { expect, it } from '@jest/globals';
import { metricsRefused } from '../../../../activities/adapters/ssh/manager-metrics.js';
import { failureTypeOf } from '../../../../activities/failures.js';

const FORBIDDEN =
  'Internal Server Error: "/metrics": subjectaccessreviews.authorization.k8s.io is forbidden: User ' +
  '"system:cloud-controller-manager" cannot create resource "subjectaccessreviews" in API group ' +
  '"authorization.k8s.io" at the cluster scope';
const DELEGATOR = /ClusterRoleBinding of its identity to ClusterRole system:auth-delegator/;

it.each([
  ['our grant', 403, 'Forbidden: ...', 'Forbidden', /grant get on nonResourceURLs \/metrics/],
  ['its right to ask about tokens', 401, 'Unauthorized', 'Unauthorized', DELEGATOR],
  ['its right to ask about rights', 500, FORBIDDEN, 'Forbidden', DELEGATOR],
  ['nothing that we know of', 500, 'boom', 'Unavailable', /answered 500$/],
  ['nothing at all', 503, '', 'Unavailable', /answered 503$/],
])('refused metrics name what is missing: %s (%i)', (_what, status, said, type, words) => {
  const error = metricsRefused('read metrics of ccm on cp-1', status, said);
  expect(failureTypeOf(error)).toBe(type);
  expect(error.message).toMatch(words);
});
