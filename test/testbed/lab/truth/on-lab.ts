import { afterAll, beforeAll } from '@jest/globals';
import type { LabOptions } from '../../../../testbed/lab/lab.js';
import { LabEnvironment } from './lab-environment.js';
import { connectProduct, type Product } from './product.js';

export interface OnLab {
  readonly environment: LabEnvironment;
  readonly product: Product;
}

/** One cluster for all stories of a block, each of which sets it up again: opened before the first and closed after the last. */
export function onLab(options: Omit<LabOptions, 'env' | 'report'>): OnLab {
  const open: { environment: LabEnvironment | null; product: Product | null } = {
    environment: null,
    product: null,
  };
  beforeAll(async () => {
    open.environment = await LabEnvironment.open(options);
    open.product = await connectProduct(open.environment.cluster);
  });
  afterAll(async () => {
    await open.product?.close();
    await open.environment?.close();
  });
  return {
    get environment() {
      return present(open.environment);
    },
    get product() {
      return present(open.product);
    },
  };
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('the lab did not open');
  return value;
}
