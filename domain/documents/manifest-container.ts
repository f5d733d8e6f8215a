import type { Field, FieldReader } from './fields.js';
import type { ManagerContainer, VolumeMount } from './manifest.js';

const SHELL = /(?:^|\/)(?:sh|bash|ash|dash|env)$/;

/**
 * The container that runs a controller manager: the only one, or the only one whose name or arguments name it. Null, with a
 * problem, when that is ambiguous or its flags cannot be edited.
 */
export function chooseContainer(reader: FieldReader, containers: Field): ManagerContainer | null {
  const all = reader.items(containers);
  const index = all.length === 1 ? 0 : onlyManager(reader, all);
  const chosen = all[index];
  if (chosen === undefined) {
    reader.refuse(containers, 'must hold exactly one container that runs a controller manager');
    return null;
  }
  return read(reader, chosen, index);
}

function onlyManager(reader: FieldReader, all: readonly Field[]): number {
  const matches = all.flatMap((container, index) =>
    namesManager(reader, container) ? [index] : [],
  );
  const [first = -1, ...rest] = matches;
  return rest.length === 0 ? first : -1;
}

function namesManager(reader: FieldReader, container: Field): boolean {
  const words = [reader.text(reader.field(container, 'name')), ...allWords(reader, container)];
  return words.some((word) => /(?:kube|cloud)-controller-manager$/.test(word));
}

function allWords(reader: FieldReader, container: Field): readonly string[] {
  return [
    ...reader.texts(reader.field(container, 'command')),
    ...reader.texts(reader.field(container, 'args')),
  ];
}

function read(reader: FieldReader, container: Field, index: number): ManagerContainer {
  const imageField = reader.field(container, 'image');
  const image = reader.text(imageField);
  if (image === '') reader.refuse(imageField, 'must not be empty');
  const env = readEnv(reader, reader.field(container, 'env'));
  return {
    container: reader.text(reader.field(container, 'name')),
    containerIndex: index,
    image,
    arguments: flags(reader, container).map((word) => filledIn(word, env)),
    mounts: reader.items(reader.field(container, 'volumeMounts')).map((m) => mount(reader, m)),
    env,
  };
}

/** Everything after the program; when the image's entry point is the program, there are only flags. */
function flags(reader: FieldReader, container: Field): readonly string[] {
  const words = allWords(reader, container);
  const program = words[0] ?? '';
  if (SHELL.test(program)) {
    reader.refuse(
      reader.field(container, 'command'),
      'runs the manager in a shell, so its flags cannot be read: list each flag as a separate argument',
    );
  }
  if (words.includes('--')) {
    reader.refuse(reader.field(container, 'command'), 'must not hold --: what follows is ignored');
  }
  return program.startsWith('-') ? words : words.slice(1);
}

/** `$(NAME)` as the kubelet expands it; `$$(NAME)` stays, unknown names stay. Source: kubernetes/kubernetes third_party/forked/golang/expansion. */
function filledIn(word: string, env: Readonly<Record<string, string>>): string {
  return word.replace(/\$\$|\$\(([^)]+)\)/g, (all: string, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? all),
  );
}

function readEnv(reader: FieldReader, field: Field): Readonly<Record<string, string>> {
  const pairs = reader
    .items(field)
    .filter((item) => reader.keys(item).includes('value'))
    .map((item): [string, string] => [
      reader.text(reader.field(item, 'name')),
      reader.text(reader.field(item, 'value')),
    ]);
  return Object.fromEntries(pairs);
}

function mount(reader: FieldReader, item: Field): VolumeMount {
  return {
    volume: reader.text(reader.field(item, 'name')),
    path: reader.text(reader.field(item, 'mountPath')),
    readOnly: reader.flag(reader.field(item, 'readOnly')),
  };
}
