import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@tidemark/contracts';
import { newWorkspace } from '@tidemark/testkit';
import { connectionsIn, type ExportGround, openExport, SECRET } from './export-ground.ts';

const NOT_FOUND = { code: 'not_found' };
const FORBIDDEN = { code: 'forbidden' };

let ground: ExportGround;
beforeAll(async () => {
  ground = await openExport();
}, 120_000);
afterAll(() => ground.close());

const connections = (...more: [string?, Partial<Caller>?]) => connectionsIn(ground, ...more);

describe('a connection', () => {
  it('is told without its secrets, which are sealed at rest and opened for who works with it', async () => {
    const { create, list, open } = connections();
    const made = await create();
    expect(made).toMatchObject({
      ...{ id: expect.stringMatching(/^con_/), provider: 'openai', name: 'Ours', secretsSet: ['api_key'] },
      lastTest: undefined,
    });
    expect(JSON.parse(made.configJson)).toEqual({ base_url: `${ground.provider.site.origin}/v1`, model: 'small' });
    const told = await list();
    expect(told.connections).toEqual([{ ...made, configJson: expect.any(String) }]);
    expect(JSON.stringify(told)).not.toContain(SECRET);
    const [row] = await ground.database.sql<{ row: string }>(
      'SELECT c::text AS row FROM export.connections c WHERE id = $1',
      [made.id],
    );
    expect(row?.row).not.toContain(SECRET);
    expect(row?.row).not.toContain(Buffer.from(SECRET).toString('hex'));
    expect(await open(made.id)).toMatchObject({ provider: 'openai', secrets: { api_key: SECRET } });
  });

  it('is opened with what holds where nothing was given', async () => {
    const { create, open } = connections();
    const { id } = await create({ provider: 'anthropic', configJson: '{"model":"m"}' });
    expect(JSON.parse((await open(id)).configJson)).toEqual({ base_url: 'https://api.anthropic.com/v1', model: 'm' });
  });

  it.each([
    ['of a provider nobody knows', { provider: 'other' }, 'provider'],
    ['without a name', { name: ' ' }, 'name'],
    ['with a name no database keeps', { name: 'a\u0000b' }, 'name'],
    ['with too long a name', { name: 'x'.repeat(201) }, 'name'],
    ['with a field its provider has not', { configJson: '{"model":"m","region":"eu"}' }, 'config.*region'],
    ['with a field every object has', { configJson: '{"model":"m","__proto__":"eu"}' }, 'config.*__proto__'],
    ['without a field it needs', { configJson: '{}' }, 'config.model'],
    ['with a field that is no text', { configJson: '{"model":7}' }, 'config.model'],
    ['with half a character', { configJson: '{"model":"\\ud800"}' }, 'config.model'],
    ['with too long a field', { configJson: JSON.stringify({ model: 'x'.repeat(201) }) }, 'config.model'],
    ['with a config that is none', { configJson: '[]' }, 'config'],
    ['with a config that is no JSON', { configJson: '{' }, 'config'],
    ['with too large a config', { configJson: JSON.stringify({ model: 'x'.repeat(20_000) }) }, 'config'],
    ['without its secret', { secrets: {} }, 'secrets.api_key'],
    ['with a secret its provider has not', { secrets: { api_key: SECRET, token: 'x' } }, 'secrets.*token'],
    ['with a secret that writes headers', { secrets: { api_key: `${SECRET}\r\nx: y` } }, 'secrets.api_key'],
    ['with too long a secret', { secrets: { api_key: 'x'.repeat(5_000) } }, 'secrets.api_key'],
    [
      'with an address off the public web',
      { configJson: '{"model":"m","base_url":"http://10.0.0.1/v1"}' },
      'config.base_url',
    ],
    [
      'with this machine’s own address',
      { configJson: '{"model":"m","base_url":"http://127.0.0.1/v1"}' },
      'config.base_url',
    ],
    ['with an address of no web', { configJson: '{"model":"m","base_url":"file:///etc/passwd"}' }, 'config.base_url'],
    [
      'with credentials in its address',
      { configJson: '{"model":"m","base_url":"https://a:b@c.test"}' },
      'config.base_url',
    ],
  ])('is refused %s, by the field’s name and without its secret', async (_, given, field) => {
    const { create, list } = connections();
    const refused = await create(given).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'validation', message: expect.stringMatching(new RegExp(`^${field}`)) });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect((await list()).connections).toEqual([]);
  });

  it('is changed key by key: null takes one away, and a secret that is not given stays', async () => {
    const { create, update, open } = connections();
    const { id } = await create();
    expect(await update(id, { name: 'Other' })).toMatchObject({ name: 'Other', secretsSet: ['api_key'] });
    const changed = await update(id, {}, { model: 'large' });
    expect(JSON.parse(changed.configJson)).toMatchObject({
      model: 'large',
      base_url: `${ground.provider.site.origin}/v1`,
    });
    await expect(update(id, {}, { model: null })).rejects.toMatchObject({ message: 'config.model: is needed' });
    await update(id, { secrets: { api_key: 'another' } }, { base_url: null });
    expect(await open(id)).toMatchObject({ secrets: { api_key: 'another' } });
    expect(JSON.parse((await open(id)).configJson)).toEqual({ base_url: 'https://api.openai.com/v1', model: 'large' });
  });

  it('keeps what two users change of it at once', async () => {
    const { create, update, get } = connections();
    const { id } = await create();
    await Promise.all([update(id, { name: 'Both' }), update(id, {}, { model: 'large' })]);
    const both = await get(id);
    expect(both.name).toBe('Both');
    expect(JSON.parse(both.configJson)).toMatchObject({ model: 'large' });
  });

  it('sends its secret nowhere else: another base_url needs the secret again', async () => {
    const { create, update } = connections();
    const { id } = await create();
    const elsewhere = { base_url: 'https://models.example/v1' };
    await expect(update(id, {}, elsewhere)).rejects.toMatchObject({
      message: expect.stringMatching(/^secrets.api_key/),
    });
    await update(id, {}, { base_url: `${ground.provider.site.origin}/v2` });
    await update(id, { secrets: { api_key: 'theirs' } }, elsewhere);
  });

  it('is listed newest first, page by page', async () => {
    const { create, list } = connections();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await create()).id);
    const first = await list(2);
    const rest = await list(2, first.next);
    expect([...first.connections, ...rest.connections].map(({ id }) => id)).toEqual(ids);
    expect(rest.next).toBe('');
  });

  it('is gone when it is deleted, once', async () => {
    const { create, drop, open } = connections();
    const { id } = await create();
    const both = await Promise.allSettled([drop(id), drop(id)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).not.toHaveLength(0);
    await expect(open(id)).rejects.toMatchObject(NOT_FOUND);
    await expect(drop(id)).rejects.toMatchObject(NOT_FOUND);
  });

  it.each<[string, string | undefined, Partial<Caller>]>([
    ['another workspace', newWorkspace(), {}],
    ['a key that is for some projects', undefined, { projects: ['prj_1'] }],
  ])('is not there for %s', async (_, workspaceId, key) => {
    const own = connections();
    const { id } = await own.create();
    const other = connections(workspaceId ?? own.workspaceId, key);
    expect((await other.list()).connections).toEqual([]);
    const asked = [other.get(id), other.update(id, { name: 'x' }), other.test(id), other.open(id), other.drop(id)];
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ status: 'rejected', reason: NOT_FOUND });
    expect(await own.get(id)).toMatchObject({ name: 'Ours' });
  });

  it('is seen, and neither made, changed nor tested, by a key that is no admin’s', async () => {
    const own = connections();
    const { id } = await own.create();
    const lesser = connections(own.workspaceId, { scope: 'write' });
    expect((await lesser.list()).connections).toMatchObject([{ id }]);
    const asked = [lesser.create(), lesser.update(id, { name: 'x' }), lesser.test(id), lesser.drop(id)];
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ status: 'rejected', reason: FORBIDDEN });
    await expect(connections(own.workspaceId, { projects: ['prj_1'] }).create()).rejects.toMatchObject(FORBIDDEN);
  });
});
