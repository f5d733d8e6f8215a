import { expect, it } from '@jest/globals';
import { failureTypeOf } from '../../../../activities/failures.js';
import { digestText } from '../../../../domain/digest.js';
import { eventually } from '../../../contract/eventually.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode } from './over-ssh.js';

const FOLDER = '/etc/kubernetes/files';
const NEW = { expect: 'absent', epoch: 1 };
const MIB = 1024 * 1024;

const prepare = `
mkdir -p ${FOLDER}
mount -t tmpfs tmpfs /etc/kubernetes/manifests
mkdir -p /etc/kubernetes/full && mount -t tmpfs -o size=64k tmpfs /etc/kubernetes/full
mkdir -p /etc/kubernetes/fixed && mount -t tmpfs tmpfs /etc/kubernetes/fixed
mkdir /etc/kubernetes/fixed/below && mount -o remount,ro /etc/kubernetes/fixed
`;

onSshNode('file access over SSH', { prepare }, ({ node, open }) => {
  const on = (shell: string): string => node().onNode(shell).trim();

  it.each([
    ["it's", "a 'quoted' text\n"],
    ['$(touch pwned)', '$(touch /etc/kubernetes/files/pwned)'],
    ['`reboot`; rm -rf * #', '"; exit 1; "\\'],
    ['-rf', '--help'],
    ['with space\tand tab', ' \t leading and trailing \n\n\n'],
    ['two\nlines', 'end TOKEN\nrefused root x\n'],
    ['ends with a newline\n', ''],
    ['näme ☃', '☃\u0000 and a NUL, and a byte order mark: \ufeff'],
    ['*', 'glob'],
    ['.hidden', '\ufeffat the start'],
  ])('takes name %j and content %j literally', async (name, content) => {
    const { files, processes } = open();
    const path = `${FOLDER}/${name}`;
    await files.write(NODE, path, content, NEW);
    const hash = digestText(content);
    const changed = on(`find ${FOLDER} -type f -exec stat -c %.3Z {} +`);
    const changedAtMs = Math.round(Number(changed) * 1000);
    const file = { path, content, hash, mode: '0600', changedAtMs };
    expect(await files.read(NODE, path)).toEqual(file);
    const { directories } = await processes.snapshot(NODE, { files: [], directories: [FOLDER] });
    expect(directories.get(FOLDER)).toEqual([{ name, hash }]);
    await files.remove(NODE, path, { expect: hash, epoch: 1 });
    expect(on(`ls -A ${FOLDER}`)).toBe('');
  });

  it('creates the folder of epoch and lock once, however many writes come first', async () => {
    const { files } = open();
    for (let times = 0; times < 5; times += 1) {
      on('rm -rf /var/lib/ccm-migrate /etc/kubernetes/new');
      const paths = ['a', 'b', 'c', 'd'].map((name) => `/etc/kubernetes/new/${name}`);
      await Promise.all(paths.map((path) => files.write(NODE, path, path, NEW)));
    }
    on('rm -rf /etc/kubernetes/new');
  });

  it('keeps mode and owner of what it replaces', async () => {
    on(`printf old >${FOLDER}/kept; chmod 0644 ${FOLDER}/kept; chown 65534:42 ${FOLDER}/kept`);
    const guard = { expect: digestText('old'), epoch: 1 };
    await open().files.write(NODE, `${FOLDER}/kept`, 'new', guard);
    const told = on(`stat -c '%a %u %g' ${FOLDER}/kept; cat ${FOLDER}/kept; rm ${FOLDER}/kept`);
    expect(told).toBe('644 65534 42\nnew');
  });

  it('creates missing folders with access for root only', async () => {
    await open().files.write(NODE, '/etc/kubernetes/new/deep/er/file', 'x', NEW);
    expect(on('stat -c %a /etc/kubernetes/new /etc/kubernetes/new/deep/er')).toBe('700\n700');
  });

  it.each(['/etc/kubernetes/manifests', FOLDER])(
    'never shows half a file to a reader of %s, a separate mount or not',
    async (folder) => {
      const { files } = open();
      const content = 'x'.repeat(MIB);
      on(
        `rm -f /run/stop /run/seen; (until [ -e /run/stop ]; do ls ${folder}; done | sort -u >/run/looks; mv /run/looks /run/seen) >/dev/null 2>&1 &`,
      );
      await files.write(NODE, `${folder}/whole.yaml`, content, NEW);
      const guard = { expect: digestText(content), epoch: 1 };
      await files.write(NODE, `${folder}/whole.yaml`, 'small', guard);
      on('touch /run/stop');
      const seen = await eventually(20_000, async () => on('cat /run/seen || true') || null);
      expect(seen).toBe('whole.yaml');
      expect(on(`ls -A ${folder}`)).toBe('whole.yaml');
      expect(on('ls -A /etc/kubernetes | grep ccm-migrate- || true')).toBe('');
      on(`rm ${folder}/whole.yaml`);
    },
  );

  it('removes what a killed writer left behind', async () => {
    on('touch /etc/kubernetes/.ccm-migrate-aaaaaaaaaa');
    await open().files.write(NODE, `${FOLDER}/after`, 'x', NEW);
    expect(on('ls -A /etc/kubernetes | grep ccm-migrate- || true')).toBe('');
  });

  it('changes nothing on a full disk, and says which disk is full and what to do', async () => {
    const { files } = open();
    // A separate mount: a temporary file elsewhere would be copied, and destroy the old content.
    await files.write(NODE, '/etc/kubernetes/full/small', 'small', NEW);
    const guard = { expect: digestText('small'), epoch: 1 };
    const write = files.write(NODE, '/etc/kubernetes/full/small', 'x'.repeat(MIB), guard);
    const error = await failureOf(write);
    expect(failureTypeOf(error)).toBe('PreconditionFailed');
    expect(String(error)).toMatch(
      /write cp-1:\/etc\/kubernetes\/full\/small: nothing was changed: \/etc\/kubernetes\/full\/.*No space left on device.*\. Make room/,
    );
    expect(on('cat /etc/kubernetes/full/small; ls -A /etc/kubernetes/full')).toBe('smallsmall');
  });

  it('says why a folder accepts no file', async () => {
    const write = open().files.write(NODE, '/etc/kubernetes/fixed/below/x', 'x', NEW);
    const error = await failureOf(write);
    expect(failureTypeOf(error)).toBe('PreconditionFailed');
    expect(String(error)).toMatch(/nothing was changed: .*Read-only file system$/);
    expect(String(error)).toContain('/etc/kubernetes/fixed/');
  });

  it.each([
    ['a symbolic link', `ln -s /etc/hostname ${FOLDER}/odd`],
    ['a link to nothing', `ln -s /nowhere ${FOLDER}/odd`],
    ['a folder', `mkdir ${FOLDER}/odd`],
    ['a pipe', `mkfifo ${FOLDER}/odd`],
  ])('refuses to replace %s', async (_case, make) => {
    on(`rm -rf ${FOLDER}/odd; ${make}`);
    const write = open().files.write(NODE, `${FOLDER}/odd`, 'x', NEW);
    expect(failureTypeOf(await failureOf(write))).toBe('NotSupported');
    expect(on(`rm -r ${FOLDER}/odd && echo was there`)).toBe('was there');
  });

  it('follows a link to read, and treats a dangling one as a mistake, not as absence', async () => {
    on(
      `echo linked >${FOLDER}/to; ln -sf ${FOLDER}/to ${FOLDER}/link; ln -sf /no ${FOLDER}/broken`,
    );
    const { files } = open();
    expect((await files.read(NODE, `${FOLDER}/link`))?.content).toBe('linked\n');
    const broken = await failureOf(files.read(NODE, `${FOLDER}/broken`));
    expect(failureTypeOf(broken)).toBe('NotSupported');
  });

  it('does not treat an unreadable path as absent', async () => {
    const { files } = open();
    const read = files.read(NODE, '/etc/hostname/below-a-file');
    const error = await failureOf(read);
    expect(failureTypeOf(error)).toBe('Unavailable');
    expect(String(error)).toContain('Not a directory');
  });

  it('refuses paths that are not canonical, and contents that are too long', async () => {
    const { files } = open();
    for (const path of ['relative', '/a/../b', '/a//b', '/a\0b', '']) {
      expect(failureTypeOf(await failureOf(files.read(NODE, path)))).toBe('InvalidInput');
    }
    const long = files.write(NODE, `${FOLDER}/long`, 'x'.repeat(MIB + 1), NEW);
    expect(failureTypeOf(await failureOf(long))).toBe('InvalidInput');
  });

  it('reads no file above 1 MiB and nothing that is not text', async () => {
    on(`head -c ${MIB + 1} /dev/zero >${FOLDER}/large; printf '\\377' >${FOLDER}/bytes`);
    const { files } = open();
    for (const name of ['large', 'bytes']) {
      const error = await failureOf(files.read(NODE, `${FOLDER}/${name}`));
      expect(failureTypeOf(error)).toBe('NotSupported');
    }
  });

  it('lets exactly one of two writers win, and of two runs the newer one', async () => {
    const [one, two] = [open(), open()];
    for (const round of [1, 2, 3]) {
      const path = `${FOLDER}/raced-${round}`;
      const results = await Promise.allSettled([
        one.files.write(NODE, path, 'one', NEW),
        two.files.write(NODE, path, 'two', NEW),
      ]);
      const lost = results.flatMap((result) =>
        result.status === 'rejected' ? [failureTypeOf(result.reason)] : [],
      );
      expect(lost).toEqual(['ForeignEdit']);
      const winner = results[0].status === 'fulfilled' ? 'one' : 'two';
      expect((await one.files.read(NODE, path))?.content).toBe(winner);
    }
    await one.files.write(NODE, `${FOLDER}/newer`, 'x', { expect: 'absent', epoch: 7 });
    const late = one.files.write(NODE, `${FOLDER}/older`, 'x', { expect: 'absent', epoch: 6 });
    expect(failureTypeOf(await failureOf(late))).toBe('FenceLost');
    expect(on('cat /var/lib/ccm-migrate/epoch')).toBe('7');
  });

  it('writes nothing while the epoch file cannot be parsed', async () => {
    on('echo seven >/var/lib/ccm-migrate/epoch');
    const write = open().files.write(NODE, `${FOLDER}/x`, 'x', { expect: 'absent', epoch: 9 });
    const error = await failureOf(write);
    expect(failureTypeOf(error)).toBe('PreconditionFailed');
    expect(String(error)).toContain('/var/lib/ccm-migrate/epoch holds no epoch');
    expect(on('rm /var/lib/ccm-migrate/epoch && echo gone')).toBe('gone');
  });
});
