/** A text of about `length` characters, made to be expensive for a parser. */
export type Shape = readonly [name: string, text: (length: number) => string];

const repeated =
  (part: string) =>
  (length: number): string =>
    part.repeat(Math.max(1, Math.floor(length / part.length)));

const numbered =
  (begin: string, part: (index: number) => string, end = '') =>
  (length: number): string => {
    const parts = [begin];
    for (let size = begin.length, index = 0; size < length - end.length - 32; index += 1) {
      const next = part(index);
      parts.push(next);
      size += next.length;
    }
    return `${parts.join('')}${end}`;
  };

/** For parsers that search a text for words, quotes and credentials. */
const TEXTS: readonly Shape[] = [
  ['one word', repeated('a')],
  ['words of one letter', repeated('a-')],
  ['blanks', repeated(' ')],
  ['lines', repeated('\n')],
  ['quotes', repeated('"')],
  ['backslashes', repeated('\\')],
  ['escaped quotes', repeated('\\"{')],
  ['quoted objects that do not end', repeated('"{\\"')],
  ['secrets by name', repeated('token=')],
  ['secrets by name in quotes', repeated('password="')],
  ['headers', repeated('authorization: bearer ')],
  ['JWTs that do not end', repeated('eyJ-')],
  ['JWTs inside words', repeated('aeyJ')],
  ['JWTs inside words with dots', repeated('a-aeyJ.')],
  ['addresses', repeated('a://b')],
  ['PEM blocks that do not end', repeated('-----BEGIN A')],
  ['control characters', repeated('\u001b]52;c;\u0007\u202e')],
  ['halves of characters', repeated('\ud800')],
];

const YAML: readonly Shape[] = [
  ['lists in lists', repeated('[')],
  ['objects in objects', repeated('{a: ')],
  ['dashes', repeated('- ')],
  ['question marks', repeated('? ')],
  ['keys in a flow', numbered('{', (index) => `k${index}: 1, `, '}')],
  ['keys without values in a flow', numbered('{', (index) => `k${index},`, '}')],
  ['keys in a block', numbered('', (index) => `k${index}: 1\n`)],
  ['one key again and again', repeated('a: 1\n')],
  ['documents', repeated('---\na: 1\n')],
  ['anchors', numbered('', (index) => `- &a${index} [*a${Math.max(0, index - 1)}]\n`)],
  ['merges', repeated('<<: {a: 1}\n')],
  ['tags', repeated('- !!binary a\n')],
  ['remarks', repeated('# a\n')],
  ['directives', repeated('%YAML 1.1\n')],
  ['folded text', (length) => `a: >\n${repeated('  b\n\n')(length)}`],
  ['a text that does not end', (length) => `a: "${repeated('b\n ')(length)}`],
  ['maps on one line', repeated('a: ')],
  ['maps on one line behind a flow', (length) => `[] ${repeated('a: ')(length)}`],
  ['maps on one line in a flow', (length) => `{${repeated('a: ')(length)}`],
  ['maps on one line with flows', repeated('a: {} ')],
  ['deep indentation', numbered('', (index) => `${' '.repeat(index % 200)}a:\n`)],
  [
    'containers',
    numbered(
      'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n',
      (index) => `  - name: c${index}\n`,
    ),
  ],
  [
    'arguments',
    numbered(
      'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: kube-controller-manager\n    command:\n',
      (index) => `    - --f${index}=1\n`,
    ),
  ],
];

const JSON_SHAPES: readonly Shape[] = [
  ['numbers', (length) => `[${repeated('1,')(length - 4)}1]`],
  ['empty objects', (length) => `[${repeated('{},')(length - 5)}{}]`],
  ['nested lists', (length) => `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`],
  ['nested objects', repeated('{"a":')],
  ['members', numbered('{', (index) => `"k${index}":1,`, '"z":1}')],
  ['labels', numbered('{"metadata":{"labels":{', (index) => `"k${index}":"v",`, '"z":"v"}}}')],
  ['items', (length) => `{"metadata":{},"items":[${repeated('{},')(length - 32)}{}]}`],
  ['items that are none', (length) => `{"metadata":{},"items":[${repeated('1,')(length - 32)}1]}`],
  ['one long text', (length) => `{"message":"${'x'.repeat(length - 14)}"}`],
  ['escapes', (length) => `{"kind":"Status","message":"${repeated('\\u0041')(length - 30)}"}`],
  [
    'a message of secrets',
    (length) => `{"kind":"Status","message":"${repeated('a-')(length - 30)}"}`,
  ],
];

const LINES: readonly Shape[] = [
  [
    'series without end',
    (length) => `leader_election_master_status{${repeated('name="a",')(length)}`,
  ],
  ['series', numbered('', (index) => `leader_election_master_status{name="l${index}"} 1\n`)],
  ['processes', numbered('', (index) => `process ${index + 1} kcm S 1 YQBi\n`)],
  ['kubelets', numbered('', (index) => `kubelet ${index + 1} 1 1 YQBi\n`)],
  ['files', numbered('', (index) => `absent ${Buffer.from(`/f${index}`).toString('base64')}\n`)],
  ['breaches', numbered('', (index) => `CCM3001 oneOwner: ${index}\n`)],
  ['flags', numbered('KUBELET_EXTRA_ARGS="', (index) => `--f${index}=1 `, '"')],
];

export const SHAPES: readonly Shape[] = [...TEXTS, ...YAML, ...JSON_SHAPES, ...LINES];
