import { afterEach, beforeEach, describe, it, jest } from '@jest/globals';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

describe('three nodes in place, there and back', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });
  afterEach(() => stage.close());

  it('moves', async () => {
    const steps = await stage.migrate('ccm');
    console.log(steps, JSON.stringify(stage.cluster.truth().controllers.service));
    const back = await stage.migrate('kcm');
    console.log(back, JSON.stringify(stage.cluster.truth().controllers.service));
  });
});
