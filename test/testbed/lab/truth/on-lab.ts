import { afterAll, beforeAll } from '@jest/globals';
import type { LabOptions } from '../../../../testbed/lab/lab.js';
import { LabScene } from './lab-scene.js';
import { connectProduct, type Product } from './product.js';

export interface OnLab {
  readonly scene: LabScene;
  readonly product: Product;
}

/** One cluster for all stories of a block, each of which sets it up again: opened before the first and closed after the last. */
export function onLab(options: Omit<LabOptions, 'env' | 'report'>): OnLab {
  const open: { scene: LabScene | null; product: Product | null } = { scene: null, product: null };
  beforeAll(async () => {
    open.scene = await LabScene.open(options);
    open.product = await connectProduct(open.scene.cluster);
  });
  afterAll(async () => {
    await open.product?.close();
    await open.scene?.close();
  });
  return {
    get scene() {
      return present(open.scene);
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
