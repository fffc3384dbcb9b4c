import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fakeResolver, type RawSite, SITE_ADDRESS, startRawSite } from '../../test/loopback-site.ts';
import { EgressRefused } from '../errors/errors.ts';
import { parseAllowList } from '../policy/allow-list.ts';
import { createGuard } from '../policy/guard.ts';
import { makeDialTcp } from './dial-tcp.ts';

let server: RawSite | undefined;
afterEach(() => server?.close());

const dialWith = (allow: string, table: Record<string, readonly string[]> = {}, alsoPorts: readonly number[] = []) => {
  const { resolve, queried } = fakeResolver(table);
  return { dial: makeDialTcp(createGuard({ allow: parseAllowList(allow), resolve }), alsoPorts), queried };
};

describe('a guarded TCP connection', () => {
  it('connects to the address that was checked, whose name is resolved once', async () => {
    server = await startRawSite((socket) => socket.end('hello'));
    const { dial, queried } = dialWith('db.example', { 'db.example': [SITE_ADDRESS] });
    const socket = await dial({ host: 'db.example', port: server.port });
    const [data] = await once(socket, 'data');
    expect([String(data), socket.remoteAddress, queried]).toEqual(['hello', SITE_ADDRESS, ['db.example']]);
    socket.destroy();
  });

  it.each(['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.5', '[::ffff:127.0.0.1]', '0x7f.1', 'redis', 'db.svc'])(
    'refuses the internal host %s before a connection is opened',
    async (host) => {
      const { dial } = dialWith('');
      await expect(dial({ host, port: 5432 })).rejects.toBeInstanceOf(EgressRefused);
    },
  );

  it('refuses a name of which one address is internal', async () => {
    const { dial } = dialWith('', { 'db.example': ['8.8.8.8', '10.0.0.1'] });
    await expect(dial({ host: 'db.example', port: 5432 })).rejects.toBeInstanceOf(EgressRefused);
  });

  it('allows the ports of its protocol beside those of web servers, and no others', async () => {
    const stop = AbortSignal.abort(new Error('checked'));
    const { dial } = dialWith('', { 'sftp.example': ['8.8.8.8'] }, [22]);
    await expect(dial({ host: 'sftp.example', port: 25 })).rejects.toBeInstanceOf(EgressRefused);
    await expect(dial({ host: 'sftp.example', port: 22 }, { signal: stop })).rejects.toThrow('checked');
    await expect(
      dialWith('', { 'sftp.example': ['8.8.8.8'] }).dial({ host: 'sftp.example', port: 22 }),
    ).rejects.toBeInstanceOf(EgressRefused);
  });

  it('fails with a fixed message where nothing listens, and where the name is not answered in time', async () => {
    server = await startRawSite(() => undefined);
    const { port } = server;
    await server.close();
    server = undefined;
    await expect(dialWith(SITE_ADDRESS).dial({ host: SITE_ADDRESS, port })).rejects.toMatchObject({ kind: 'refused' });
    const silent = createGuard({ allow: parseAllowList(''), resolve: () => new Promise(() => undefined) });
    await expect(makeDialTcp(silent)({ host: 'db.example', port: 5432 }, { timeoutMs: 20 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });
});
