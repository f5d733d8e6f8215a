/**
 * Lints texts as if they were the named files and prints the rules that each breaks. stdin: {typed, cases: [{file, text}]}; stdout:
 * [[rule]]. Without `typed` the slow rules that need types are left out.
 */
import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const WITHOUT_TYPES = [
  tseslint.configs.disableTypeChecked,
  { languageOptions: { parserOptions: { projectService: false } } },
];

const { typed, cases } = JSON.parse(readFileSync(0, 'utf8'));
const eslint = new ESLint({ overrideConfig: typed ? [] : WITHOUT_TYPES });
const broken = [];
for (const { file, text } of cases) {
  const [result] = await eslint.lintText(text, { filePath: file });
  broken.push([...new Set(result.messages.map(({ ruleId, message }) => ruleId ?? message))].sort());
}
process.stdout.write(JSON.stringify(broken));
