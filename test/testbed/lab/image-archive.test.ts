import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageArchive } from '../../../testbed/lab/images/image-archive.js';
import { tarHeader } from '../../../testbed/lab/images/tar-archive.js';

const PROGRAM = Buffer.from('#!/bin/sh\necho a program whose length is no multiple of 512\n');
const SPEC = {
  reference: 'registry.k8s.io/kube-scheduler:v1.30.14',
  architecture: 'amd64',
  path: '/usr/local/bin/kube-scheduler',
} as const;

describe('an image archive is what a container runtime imports', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-image-'));
    writeFileSync(join(folder, 'image.tar'), Buffer.concat([...imageArchive(SPEC, PROGRAM)]));
    execFileSync('tar', ['-xf', 'image.tar'], { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('an image archive names its image, and a configuration by its own digest', () => {
    const [entry] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(entry.RepoTags).toEqual([SPEC.reference]);
    const config = readFileSync(join(folder, entry.Config));
    expect(entry.Config).toBe(`${createHash('sha256').update(config).digest('hex')}.json`);
    expect(JSON.parse(config.toString()).config.Entrypoint).toEqual([SPEC.path]);
  });

  it('an image archive has one layer, with the digest that the configuration names', () => {
    const [entry] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const { rootfs } = JSON.parse(readFileSync(join(folder, entry.Config), 'utf8'));
    const layer = readFileSync(join(folder, 'layer.tar'));
    expect(rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(layer).digest('hex')}`]);
  });

  it('an image archive holds the program, executable, where the entry point expects it', () => {
    execFileSync('tar', ['-xf', 'layer.tar'], { cwd: folder });
    const place = join(folder, SPEC.path);
    expect(readFileSync(place).equals(PROGRAM)).toBe(true);
    expect(statSync(place).mode & 0o777).toBe(0o755);
  });

  it('an image archive holds the libraries of the program, each folder once', () => {
    const library = { path: '/usr/local/lib/libc.so.6', content: Buffer.from('a library') };
    const layer = join(folder, 'linked');
    mkdirSync(layer);
    writeFileSync(
      join(layer, 'image.tar'),
      Buffer.concat([...imageArchive(SPEC, PROGRAM, [library])]),
    );
    execFileSync('tar', ['-xf', 'image.tar'], { cwd: layer });
    const names = execFileSync('tar', ['-tf', 'layer.tar'], { cwd: layer, encoding: 'utf8' });
    expect(names.trim().split('\n')).toEqual([
      ...['usr/', 'usr/local/', 'usr/local/bin/', 'usr/local/lib/', 'tmp/'],
      ...['usr/local/bin/kube-scheduler', 'usr/local/lib/libc.so.6'],
    ]);
    execFileSync('tar', ['-xf', 'layer.tar'], { cwd: layer });
    expect(readFileSync(join(layer, library.path), 'utf8')).toBe('a library');
  });

  it('an image archive is identical for the same program', () => {
    const again = Buffer.concat([...imageArchive(SPEC, PROGRAM)]);
    expect(again.equals(readFileSync(join(folder, 'image.tar')))).toBe(true);
  });

  it('an image archive refuses a name that the format cannot hold', () => {
    const name = 'a'.repeat(101);
    expect(() => tarHeader({ name, mode: 0o644, bytes: 0 })).toThrow('more than 100 bytes');
  });
});
