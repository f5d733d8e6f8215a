import { describe, expect, it } from '@jest/globals';
import { yamlText } from '../../../domain/yaml/yaml-edit.js';

describe('YAML for people', () => {
  it('YAML for people keeps the order of keys and never folds a long line', () => {
    const long = 'word '.repeat(40).trim();
    expect(yamlText({ b: 1, a: [long] })).toBe(`b: 1\na:\n  - ${long}\n`);
  });
});
