import { expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillDisk, freeDisk } from '../../../testbed/lab/nodes/small-disk.js';

it("a disk that is not small, such as the machine's own, is never filled", () => {
  const node = mkdtempSync(join(tmpdir(), 'ccm-migrate-small-disk-'));
  const place = join(node, 'disk/etc/kubernetes');
  mkdirSync(place, { recursive: true });
  try {
    expect(() => fillDisk(node)).toThrow('is not a file system of');
    expect(readdirSync(place)).toEqual([]);
    freeDisk(node);
  } finally {
    rmSync(node, { recursive: true });
  }
});
