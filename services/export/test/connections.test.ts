import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KeyOptions, newWorkspace } from '@tidemark/testkit';
import { connectionsIn, type ExportServers, SECRET, startExportServers } from './export-servers.ts';

const NOT_FOUND = { code: 'not_found' };
const FORBIDDEN = { code: 'forbidden' };

let servers: ExportServers;
beforeAll(async () => {
  servers = await startExportServers();
}, 120_000);
afterAll(() => servers.close());

const connections = (...caller: [string?, KeyOptions?]) => connectionsIn(servers, ...caller);

describe('connection', () => {
  it('is listed without its secrets, which are encrypted at rest and returned only by OpenConnection', async () => {
    const { create, list, open } = connections();
    const created = await create();
    expect(created).toMatchObject({
      id: expect.stringMatching(/^con_/),
      provider: 'openai',
      name: 'Ours',
      secretsSet: ['api_key'],
      lastTest: undefined,
    });
    expect(JSON.parse(created.configJson)).toEqual({ base_url: `${servers.provider.site.origin}/v1`, model: 'small' });
    const listed = await list();
    expect(listed.connections).toEqual([{ ...created, configJson: expect.any(String) }]);
    expect(JSON.stringify(listed)).not.toContain(SECRET);
    const [row] = await servers.database.sql<{ row: string }>(
      'SELECT c::text AS row FROM export.connections c WHERE id = $1',
      [created.id],
    );
    expect(row?.row).not.toContain(SECRET);
    expect(row?.row).not.toContain(Buffer.from(SECRET).toString('hex'));
    expect(await open(created.id)).toMatchObject({ provider: 'openai', secrets: { api_key: SECRET } });
  });

  it('is opened with the fallbacks of fields that are not set', async () => {
    const { create, open } = connections();
    const { id } = await create({ provider: 'anthropic', configJson: '{"model":"m"}' });
    expect(JSON.parse((await open(id)).configJson)).toEqual({ base_url: 'https://api.anthropic.com/v1', model: 'm' });
  });

  it.each([
    ['with an unknown provider', { provider: 'other' }, 'provider'],
    ['without a name', { name: ' ' }, 'name'],
    ['with a NUL character in its name', { name: 'a\u0000b' }, 'name'],
    ['with a name that is too long', { name: 'x'.repeat(201) }, 'name'],
    ['with an unknown field', { configJson: '{"model":"m","region":"eu"}' }, 'config.*region'],
    ['with a field named __proto__', { configJson: '{"model":"m","__proto__":"eu"}' }, 'config.*__proto__'],
    ['without a required field', { configJson: '{}' }, 'config.model'],
    ['with a field that is not a string', { configJson: '{"model":7}' }, 'config.model'],
    ['with a lone surrogate in a field', { configJson: '{"model":"\\ud800"}' }, 'config.model'],
    ['with a field that is too long', { configJson: JSON.stringify({ model: 'x'.repeat(201) }) }, 'config.model'],
    ['with a config that is not an object', { configJson: '[]' }, 'config'],
    ['with a config that is not JSON', { configJson: '{' }, 'config'],
    ['with a config that is too large', { configJson: JSON.stringify({ model: 'x'.repeat(20_000) }) }, 'config'],
    ['without its secret', { secrets: {} }, 'secrets.api_key'],
    ['with an unknown secret', { secrets: { api_key: SECRET, token: 'x' } }, 'secrets.*token'],
    ['with a line break in a secret', { secrets: { api_key: `${SECRET}\r\nx: y` } }, 'secrets.api_key'],
    ['with a secret that is too long', { secrets: { api_key: 'x'.repeat(5_000) } }, 'secrets.api_key'],
    ['with a private address', { configJson: '{"model":"m","base_url":"http://10.0.0.1/v1"}' }, 'config.base_url'],
    ['with a loopback address', { configJson: '{"model":"m","base_url":"http://127.0.0.1/v1"}' }, 'config.base_url'],
    [
      'with an address that is not http',
      { configJson: '{"model":"m","base_url":"file:///etc/passwd"}' },
      'config.base_url',
    ],
    [
      'with credentials in its address',
      { configJson: '{"model":"m","base_url":"https://a:b@c.test"}' },
      'config.base_url',
    ],
  ])('is refused %s, with an error that names the field and not the secret', async (_, given, field) => {
    const { create, list } = connections();
    const refused = await create(given).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'validation', message: expect.stringMatching(new RegExp(`^${field}`)) });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect((await list()).connections).toEqual([]);
  });

  it('is updated field by field: null removes a field, and a secret that is absent is kept', async () => {
    const { create, update, open } = connections();
    const { id } = await create();
    expect(await update(id, { name: 'Other' })).toMatchObject({ name: 'Other', secretsSet: ['api_key'] });
    const changed = await update(id, {}, { model: 'large' });
    expect(JSON.parse(changed.configJson)).toMatchObject({
      model: 'large',
      base_url: `${servers.provider.site.origin}/v1`,
    });
    await expect(update(id, {}, { model: null })).rejects.toMatchObject({ message: 'config.model: is required' });
    await update(id, { secrets: { api_key: 'another' } }, { base_url: null });
    expect(await open(id)).toMatchObject({ secrets: { api_key: 'another' } });
    expect(JSON.parse((await open(id)).configJson)).toEqual({ base_url: 'https://api.openai.com/v1', model: 'large' });
  });

  it('keeps the changes of two concurrent updates', async () => {
    const { create, update, get } = connections();
    const { id } = await create();
    await Promise.all([update(id, { name: 'Both' }), update(id, {}, { model: 'large' })]);
    const both = await get(id);
    expect(both.name).toBe('Both');
    expect(JSON.parse(both.configJson)).toMatchObject({ model: 'large' });
  });

  it('requires the secret again when base_url changes its origin', async () => {
    const { create, update } = connections();
    const { id } = await create();
    const elsewhere = { base_url: 'https://models.example/v1' };
    await expect(update(id, {}, elsewhere)).rejects.toMatchObject({
      message: expect.stringMatching(/^secrets.api_key/),
    });
    await update(id, {}, { base_url: `${servers.provider.site.origin}/v2` });
    await update(id, { secrets: { api_key: 'theirs' } }, elsewhere);
  });

  it('is listed in pages, newest first', async () => {
    const { create, list } = connections();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await create()).id);
    const first = await list(2);
    const rest = await list(2, first.next);
    expect([...first.connections, ...rest.connections].map(({ id }) => id)).toEqual(ids);
    expect(rest.next).toBeUndefined();
  });

  it('is not found after it is deleted', async () => {
    const { create, drop, open } = connections();
    const { id } = await create();
    const both = await Promise.allSettled([drop(id), drop(id)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).not.toHaveLength(0);
    await expect(open(id)).rejects.toMatchObject(NOT_FOUND);
    await expect(drop(id)).rejects.toMatchObject(NOT_FOUND);
  });

  it.each<[string, string | undefined, KeyOptions]>([
    ['another workspace', newWorkspace(), {}],
    ['a key restricted to projects', undefined, { projects: ['prj_1'] }],
  ])('is not found by %s', async (_, workspaceId, key) => {
    const own = connections();
    const { id } = await own.create();
    const other = connections(workspaceId ?? own.workspaceId, key);
    expect((await other.list()).connections).toEqual([]);
    const calls = [other.get(id), other.update(id, { name: 'x' }), other.test(id), other.open(id), other.drop(id)];
    for (const one of await Promise.allSettled(calls))
      expect(one).toMatchObject({ status: 'rejected', reason: NOT_FOUND });
    expect(await own.get(id)).toMatchObject({ name: 'Ours' });
  });

  it('can be listed, but not created, changed, tested or deleted, with a key that is not an admin key', async () => {
    const own = connections();
    const { id } = await own.create();
    const writer = connections(own.workspaceId, { scope: 'write' });
    expect((await writer.list()).connections).toMatchObject([{ id }]);
    const calls = [writer.create(), writer.update(id, { name: 'x' }), writer.test(id), writer.drop(id)];
    for (const one of await Promise.allSettled(calls))
      expect(one).toMatchObject({ status: 'rejected', reason: FORBIDDEN });
    await expect(connections(own.workspaceId, { projects: ['prj_1'] }).create()).rejects.toMatchObject(FORBIDDEN);
  });
});
