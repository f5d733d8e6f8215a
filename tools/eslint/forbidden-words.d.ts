import type { Rule } from 'eslint';

export declare const forbiddenWords: Rule.RuleModule;
