import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CONNECTION_LIMITS } from '@tidemark/api';
import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { DRIVER_KINDS } from '../src/configuration/driver-kinds.ts';
import { field } from '../src/domain/providers/provider.ts';
import { connectionsIn, type ExportServers, SECRET, startExportServers } from './export-servers.ts';
import { MODELS } from './fake-provider.ts';

let servers: ExportServers;
beforeAll(async () => {
  servers = await startExportServers();
}, 120_000);
beforeEach(() => {
  Object.assign(servers.provider, { status: 200, body: MODELS });
});
afterAll(() => servers.close());

const connections = () => connectionsIn(servers);

describe('connection limits', () => {
  it('equal the limits in the REST contract', async () => {
    const { create } = connectionsIn(servers);
    const secret = 'k'.repeat(4_096);
    expect(CONNECTION_LIMITS.secret).toBe(field('x', 'lines', '').maxChars);
    const name = 'n'.repeat(CONNECTION_LIMITS.name);
    await expect(create({ name, secrets: { api_key: secret } })).resolves.toMatchObject({ name });
    await expect(create({ name: `${name}n` })).rejects.toMatchObject({ code: 'validation' });
    await expect(create({ secrets: { api_key: `${secret}k` } })).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('TestConnection', () => {
  it('requests the models of each provider with its own authentication headers', async () => {
    const { create, test } = connections();
    const [openai, anthropic] = [await create(), await create({ provider: 'anthropic' })];
    expect(await test(openai.id)).toMatchObject({
      lastTest: {
        ok: true,
        reason: 'the provider accepts the key and lists the model small',
        steps: [{ name: 'sign_in', ok: true }],
        at: expect.any(Date),
      },
    });
    expect(servers.provider.lastHeaders).toMatchObject({ authorization: `Bearer ${SECRET}` });
    expect(await test(anthropic.id)).toMatchObject({ lastTest: { ok: true } });
    expect(servers.provider.lastHeaders).toMatchObject({ 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' });
    expect(servers.provider.site.seen.every(({ url }) => url === '/v1/models')).toBe(true);
  });

  it.each([
    [
      'refuses the key',
      401,
      { error: { message: `Incorrect API key: ${SECRET}` } },
      'the provider refuses the key (401): Incorrect API key: …',
    ],
    ['has no such path', 404, {}, 'base_url/models was not found (404); check base_url'],
    ['limits the rate', 429, { error: 'slow\n down' }, 'the provider limits requests with this key (429): slow down'],
    ['fails', 503, 'x', 'the provider failed (503)'],
    [
      'returns another document',
      200,
      { hello: 1 },
      'the provider answered 200 without a list of models; check base_url',
    ],
    ['redirects', 302, {}, 'the provider redirects (302); redirects are not followed'],
  ])('reports a provider that %s in a sentence without the secret', async (_, status, body, reason) => {
    const { create, test } = connections();
    const { id } = await create();
    Object.assign(servers.provider, { status, body: JSON.stringify(body) });
    expect(await test(id)).toMatchObject({ lastTest: { ok: false, reason } });
  });

  it('succeeds and reports it if the provider does not list the model', async () => {
    const { create, test } = connections();
    const { id } = await create({
      configJson: JSON.stringify({ base_url: servers.provider.site.origin, model: 'mine' }),
    });
    expect(await test(id)).toMatchObject({
      lastTest: { ok: true, reason: 'the provider accepts the key and does not list the model mine' },
    });
  });

  it('keeps its result when the name changes and loses it when the config changes', async () => {
    const { create, test, update } = connections();
    const { id } = await create();
    await test(id);
    expect(await update(id, { name: 'Renamed' })).toMatchObject({ lastTest: { ok: true } });
    expect(await update(id, {}, { model: 'large' })).toMatchObject({ lastTest: undefined });
  });
});

describe('ListProviders', () => {
  it('offers the databases whose kind has a driver, with their fields, choices and secrets', async () => {
    const { providers } = await servers.service.peer.call(Rpc.listProviders, {}, callerIn(newWorkspace()));
    const postgres = providers.filter(({ kind }) => kind === 'postgres');
    expect(postgres.map(({ id, verified }) => [id, verified])).toEqual([
      ['postgresql', true],
      ['neon', false],
      ['supabase', false],
      ['timescale', false],
    ]);
    const [{ fields, secrets } = { fields: [], secrets: [] }] = postgres;
    expect(fields.map(({ name, type, required, fallback }) => [name, type, required, fallback])).toEqual([
      ['host', 'host', true, undefined],
      ['port', 'port', false, '5432'],
      ['database', 'line', true, undefined],
      ['schema', 'line', false, 'public'],
      ['user', 'line', true, undefined],
      ['tls', 'choice', false, 'verify'],
      ['ca', 'lines', false, undefined],
    ]);
    expect(fields.find(({ name }) => name === 'tls')?.choices).toEqual(['verify', 'off']);
    expect(secrets).toMatchObject([{ name: 'password', type: 'line', required: true }]);
    const kinds = new Set(DRIVER_KINDS.map(({ kind }) => kind));
    expect(providers.filter(({ kind }) => kind !== 'model' && !kinds.has(kind))).toEqual([]);
  });

  it('returns the fields and secrets of each provider', async () => {
    const { providers } = await servers.service.peer.call(Rpc.listProviders, {}, callerIn(newWorkspace()));
    const models = providers.filter(({ kind }) => kind === 'model');
    expect(models.map(({ id }) => id)).toEqual(['openai', 'anthropic']);
    for (const { fields, secrets, verified } of models) {
      expect(fields.map(({ name, required }) => [name, required])).toEqual([
        ['base_url', false],
        ['model', true],
      ]);
      expect(secrets.map(({ name }) => name)).toEqual(['api_key']);
      expect(verified).toBe(false);
    }
  });
});
