import type { Owner } from '../../domain/vocabulary.js';

/** Who runs the cloud controllers, in a sentence. */
export const WHO_RUNS: Readonly<Record<Owner, string>> = {
  kcm: 'the KCM runs the cloud controllers',
  ccm: 'the CCM runs the cloud controllers',
  none: 'nobody runs the cloud controllers',
  both: 'KCM and CCM both run cloud controllers',
  unknown: 'it is not known who runs the cloud controllers',
};
