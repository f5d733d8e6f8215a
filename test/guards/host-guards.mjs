/**
 * Guards of what is taken from hosts: a clock that was set forward makes no live holder dead, and one odd text makes nothing else
 * unreadable.
 */
const IDENTITIES = 'activities/observe/identities.ts';
const RELEASES = 'activities/execute/release-leases.ts';

const holders = (only) => ({ tests: ['test/activities/observe/holders.test'], only });
const stepped = (only) => ({ tests: ['test/activities/stories/stepped-clock.test'], only });
const odd = (only) => ({ tests: ['test/activities/observe/odd-paths.test'], only });
const remote = (only) => ({ tests: ['test/activities/adapters/ssh/remote-request.test'], only });

const modes = {
  tests: ['test/activities/stories/in-place.test'],
  only: 'can be read by a manager that is not root',
};
const rejected = (only) => ({
  tests: ['test/activities/adapters/credentials/exec-plugin.test'],
  only,
});

const READER = 'activities/observe/manifest-reader.ts';
const ANSWERS = 'activities/adapters/ssh/remote-answer.ts';

export const HOST_GUARDS = [
  {
    name: 'clock: a process that says that it leads is the holder, whatever its start',
    file: IDENTITIES,
    from: "(startedBefore(self.process, lease) || roleIn(self, everyone, lease) === 'held')",
    to: 'startedBefore(self.process, lease)',
    ...holders('set forward since, and it leads'),
  },
  {
    name: 'clock: a younger process that says nothing may be the holder of a Lease that is renewed',
    file: IDENTITIES,
    from: 'return isSilent && !process.paused;',
    to: 'return !process.paused;',
    ...holders('says nothing, and the Lease is renewed'),
  },
  {
    name: 'clock: a process that is paused may be the holder of a silent Lease',
    file: IDENTITIES,
    from: ' && !process.paused;',
    to: ';',
    ...holders('a younger KCM that is paused'),
  },
  {
    name: 'clock: a younger process that says that it holds the Lease is not ruled out',
    file: IDENTITIES,
    from: "return role !== 'held';",
    to: 'return true;',
    ...holders('says that it holds the Lease'),
  },
  {
    name: 'clock: of two processes on a host no answer tells whose it is',
    file: IDENTITIES,
    from: "siblings.length > 1 ? 'unknown'",
    to: "siblings.length > 2 ? 'unknown'",
    ...holders('two younger KCMs, and one of them waits'),
  },
  {
    name: 'clock: right before a release, too, a younger process has to deny that it holds the Lease',
    file: RELEASES,
    from: '  return lockRole(text, name);',
    to: "  return text === null ? 'unknown' : 'notTried';",
    ...stepped('its metrics can be read: true'),
    composed: true,
  },
  {
    name: 'clock: right before a release, too, only silence speaks for a process without metrics',
    file: RELEASES,
    from: " && seen.freshness.kind === 'silent'",
    to: '',
    ...stepped('its metrics can be read: false'),
    composed: true,
  },
  {
    name: 'clock: a holder that was known and has ended needs no word of its successor',
    file: RELEASES,
    from: "  if (ended.has(holder)) return 'notTried';\n",
    to: '',
    ...stepped('is proven dead beside its successor'),
  },
  {
    name: 'odd paths: a node is asked for none of them',
    file: READER,
    from: '.filter(isPlainPath)',
    to: '',
    ...odd('under an odd path is not read'),
  },
  {
    name: 'odd paths: a file that was not read is not one that is missing',
    file: READER,
    from: 'isPlainPath(at) ? (snapshot?.files.get(at) ?? null) : undefined',
    to: 'snapshot?.files.get(at) ?? null',
    ...odd('a Leader Migration file under an odd path'),
  },
  {
    name: 'odd paths: a cloud configuration that was not read is not one that is missing',
    file: READER,
    from: ' || !isPlainPath(file.path)',
    to: '',
    ...odd('a cloud configuration under an odd path'),
  },
  {
    name: 'odd paths: a subPath says what of a volume is mounted',
    file: READER,
    from: "mount.subPath === '' ? below",
    to: "mount.subPath !== '.' ? below",
    ...odd('what a subPath mounts'),
  },
  {
    name: 'ssh: an answer begins on a line of its own',
    file: 'activities/adapters/ssh/remote-common.sh',
    from: "printf '\\nbegin %s\\n'",
    to: "printf 'begin %s\\n'",
    ...remote('begins on a line of its own'),
  },
  {
    name: 'ssh: a command that ended well without a beginning may have run',
    file: ANSWERS,
    from: 'if (exitCode === 0) {',
    to: 'if (exitCode < 0) {',
    ...remote('with exit 0 fails as Unavailable'),
    composed: true,
  },
  {
    name: 'files: managers that are not root may read a Leader Migration file',
    file: 'activities/execute/change-static-pod.ts',
    from: '      isForAll: true,\n',
    to: '',
    ...modes,
  },
  {
    name: 'files: an HTTP node is told who may read a new file',
    file: 'activities/adapters/machines/node-access-http.ts',
    from: "...(isForAll ? { mode: '0644' } : {})",
    to: '',
    ...modes,
  },
  {
    name: 'files: a node over SSH is told who may read a new file',
    file: 'activities/adapters/ssh/node-access-ssh.ts',
    from: 'guard.isForAll === true ? FOR_ALL : FOR_ROOT',
    to: 'FOR_ROOT',
    tests: ['test/contract/ssh.test'],
    only: 'lets all users of a node read a new file only where that is wanted',
  },
  {
    name: 'transport: a token that the server rejects is not used until its stated end',
    file: 'activities/adapters/credentials/transport.ts',
    from: '      token.forget(sent);\n',
    to: '',
    ...rejected('another token is asked for'),
  },
  {
    name: 'transport: the rejected request is sent with the new token',
    file: 'activities/adapters/http/http.ts',
    from: 'if (!isRenewed) return answer;',
    to: 'if (!isRenewed || isRenewed) return answer;',
    ...rejected('another token is asked for'),
  },
  {
    name: 'transport: a rejected request is not sent again with the same token',
    file: 'activities/adapters/credentials/transport.ts',
    from: 'return now !== null && now.reveal() !== sent.reveal();',
    to: 'return now !== null;',
    ...rejected('has no other is not asked for ever'),
  },
];
