import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { needs } from '@tidemark/testkit/needs';
import { ObjectDriver } from '../../src/destinations/objects/object-driver.ts';
import { runFolder } from '../../src/destinations/objects/object-path.ts';
import { SFTP_PORTS, type SftpSettings } from '../../src/destinations/objects/sftp/open-sftp.ts';
import { SftpTarget } from '../../src/destinations/objects/sftp/sftp-target.ts';
import { attemptOf, planOf, rowOf, sourceOf, stepsOf } from '../destination-contract.ts';
import { describeObjects } from '../object-contract.ts';
import { testStorageFault } from '../object-fault-contract.ts';
import { describeKilledWriters } from '../object-kill-contract.ts';
import { describeServer } from '../servers/describe-server.ts';
import { startDroppingProxy } from '../servers/dropping-proxy.ts';
import { type SshServer, startOpenssh } from '../servers/openssh.ts';
import { mountSmallDisk } from '../servers/small-disk.ts';

await describeServer('OpenSSH', startOpenssh, (server: SshServer) => {
  const settings: SftpSettings = {
    host: '127.0.0.1',
    port: server.port,
    user: server.user,
    password: '',
    privateKey: server.privateKey,

    passphrase: '',
    directory: server.files,
    hostKey: server.hostKey,
  };
  const targetOf = (more: Partial<SftpSettings> = {}, allow = '127.0.0.1') => ({
    target: new SftpTarget({ ...settings, ...more }),
    dial: makeDialTcp(createGuard({ allow: parseAllowList(allow) }), SFTP_PORTS),
  });
  const driverOf = (...how: Parameters<typeof targetOf>) => {
    const { target, dial } = targetOf(...how);
    return new ObjectDriver(target, dial);
  };
  const write = (driver: ObjectDriver, plan = planOf({ mode: 'append' })) =>
    driver.write(plan, sourceOf([rowOf('a', 1)]), attemptOf());

  describeObjects('OpenSSH', () => targetOf());
  describeKilledWriters(
    'OpenSSH',
    () => targetOf(),
    () => ({ kind: 'sftp', settings }),
  );

  describe('an SFTP destination', () => {
    test('returns the host key of its server from a test, and writes nothing before it is set', async () => {
      const steps = await stepsOf(driverOf({ hostKey: '' }), 'append');
      expect(steps.find(({ name }) => name === 'sign_in')).toMatchObject({
        ok: true,
        learned: { host_key: server.hostKey },
      });
      await expect(write(driverOf({ hostKey: '' }))).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining(server.hostKey),
      });
    });

    test('refuses a server whose host key has changed, in a test too', async () => {
      const other = { hostKey: `SHA256:${'A'.repeat(43)}` };
      expect((await stepsOf(driverOf(other), 'append')).at(-1)).toMatchObject({
        name: 'sign_in',
        ok: false,
        message: expect.stringContaining('differs from host_key'),
      });
      await expect(write(driverOf(other))).rejects.toMatchObject({ kind: 'refused' });
    });

    test('reports a refused sign-in and an unreadable key as refused, without their secrets', async () => {
      for (const more of [{ privateKey: '', password: 'hunter2-wrong' }, { privateKey: 'hunter2 is no key' }]) {
        const failure = await write(driverOf(more)).catch((error: unknown) => error);
        expect(failure).toMatchObject({ kind: 'refused' });
        expect(String(failure)).not.toContain('hunter2');
      }
    });

    test('refuses an address that is not public before it connects', async () => {
      expect(await stepsOf(driverOf({}, ''), 'append')).toEqual([
        { name: 'address', ok: false, message: expect.stringContaining('the address is not allowed') },
      ]);
    });

    test('replaces a file as a whole and leaves no partial file', async () => {
      const plan = {
        ...planOf({ mode: 'append' }),
        files: { path: 'whole', format: 'jsonl', compression: 'none' } as const,
      };
      await write(driverOf(), plan);
      const folder = join(server.files, 'whole/pages/project=prj_1/run=run_1');
      expect(readdirSync(folder).sort()).toEqual(['_manifest.json', `part-00000-${plan.syncId}.jsonl`]);
      expect(JSON.parse(readFileSync(join(folder, `part-00000-${plan.syncId}.jsonl`), 'utf8'))).toMatchObject({
        url: 'a',
      });
    });

    testStorageFault('keeps the files of the sync before where its directory was made read-only, and is refused', {
      server: () => targetOf(),
      reader: () => targetOf(),
      begin: (plan) => chmodSync(join(server.files, runFolder(plan)), 0o555),
      end: (plan) => chmodSync(join(server.files, runFolder(plan)), 0o777),
      expected: { kind: 'refused', message: /permission denied/i },
    });

    const disk = mountSmallDisk(512);
    afterAll(() => disk?.close());
    needs('mount', disk !== undefined, () =>
      test('leaves no manifest where the disk of the server is full, and can be repeated when it has space', async () => {
        const directory = disk?.path ?? '';
        const plan = planOf({ mode: 'append' });
        const large = sourceOf([rowOf('x'.repeat(800_000), 1)]);
        const failure = driverOf({ directory }).write(plan, large, attemptOf());
        await expect(failure).rejects.toMatchObject({ kind: 'temporary' });
        const names = readdirSync(directory, { recursive: true }).map(String);
        expect(names.filter((name) => name.endsWith('.json') || name.endsWith('.jsonl'))).toEqual([]);
        expect(await write(driverOf({ directory }), plan)).toMatchObject({ status: 'done', read: 1 });
      }),
    );

    test('fails as temporary where the connection ends during a sync, and the sync can be repeated', async () => {
      const proxy = await startDroppingProxy(server.port);
      const plan = planOf({ mode: 'append' });
      const killed = {
        async *read() {
          yield { rows: [rowOf('a', 1)], last: 1 };
          proxy.cut();
          yield { rows: [rowOf('b', 1)], last: 2 };
        },
      };
      const failure = await driverOf({ port: proxy.port })
        .write(plan, killed, attemptOf())
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: 'temporary' });
      await proxy.close();
      expect(await write(driverOf(), plan)).toMatchObject({ status: 'done', read: 1 });
    });
  });
});
