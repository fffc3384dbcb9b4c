import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CONNECTION_LIMITS } from '@tidemark/api';
import { ExportServiceService as Rpc } from '@tidemark/contracts/export/v1/export';
import { callerIn, newWorkspace } from '@tidemark/testkit';
import { connectionsIn, type ExportGround, openExport, SECRET } from './export-ground.ts';
import { MODELS } from './fake-provider.ts';

let ground: ExportGround;
beforeAll(async () => {
  ground = await openExport();
}, 120_000);
beforeEach(() => {
  Object.assign(ground.provider, { status: 200, body: MODELS });
});
afterAll(() => ground.close());

const connections = () => connectionsIn(ground);

describe('the limits of a connection', () => {
  it('are those the interface names', async () => {
    const { create } = connectionsIn(ground);
    const secret = 'k'.repeat(CONNECTION_LIMITS.secret);
    const name = 'n'.repeat(CONNECTION_LIMITS.name);
    await expect(create({ name, secrets: { api_key: secret } })).resolves.toMatchObject({ name });
    await expect(create({ name: `${name}n` })).rejects.toMatchObject({ code: 'validation' });
    await expect(create({ secrets: { api_key: `${secret}k` } })).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('a test of a connection', () => {
  it('asks each provider for its models in its own way', async () => {
    const { create, test } = connections();
    const [openai, anthropic] = [await create(), await create({ provider: 'anthropic' })];
    expect(await test(openai.id)).toMatchObject({
      lastTest: { ok: true, reason: 'it takes the key and knows the model small', at: expect.any(Date) },
    });
    expect(ground.provider.last).toMatchObject({ authorization: `Bearer ${SECRET}` });
    expect(await test(anthropic.id)).toMatchObject({ lastTest: { ok: true } });
    expect(ground.provider.last).toMatchObject({ 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' });
    expect(ground.provider.site.seen.every(({ url }) => url === '/v1/models')).toBe(true);
  });

  it.each([
    [
      'a key it refuses',
      401,
      { error: { message: `Incorrect API key: ${SECRET}` } },
      'it refuses the key (401): Incorrect API key: …',
    ],
    ['an address that is wrong', 404, {}, 'there is nothing at base_url/models (404): is base_url right?'],
    [
      'too many requests',
      429,
      { error: 'slow\n down' },
      'it takes no more requests by this key for now (429): slow down',
    ],
    ['a fault of its own', 503, 'x', 'it has trouble of its own (503)'],
    ['a page of another kind', 200, { hello: 1 }, 'it answered 200, and not with a list of models: is base_url right?'],
    ['a redirect, which gets no key', 302, {}, 'it answers with a redirect (302), which is not followed with a key'],
  ])('says in words that it met %s, without the secret', async (_, status, body, reason) => {
    const { create, test } = connections();
    const { id } = await create();
    Object.assign(ground.provider, { status, body: JSON.stringify(body) });
    expect(await test(id)).toMatchObject({ lastTest: { ok: false, reason } });
  });

  it('says that the key is taken where the model is not listed', async () => {
    const { create, test } = connections();
    const { id } = await create({
      configJson: JSON.stringify({ base_url: ground.provider.site.origin, model: 'mine' }),
    });
    expect(await test(id)).toMatchObject({
      lastTest: { ok: true, reason: 'it takes the key and does not list the model mine' },
    });
  });

  it('holds until the connection is changed, and longer where only its name is', async () => {
    const { create, test, update } = connections();
    const { id } = await create();
    await test(id);
    expect(await update(id, { name: 'Renamed' })).toMatchObject({ lastTest: { ok: true } });
    expect(await update(id, {}, { model: 'large' })).toMatchObject({ lastTest: undefined });
  });
});

describe('the catalogue', () => {
  it('tells what each provider needs', async () => {
    const { providers } = await ground.service.peer.call(Rpc.listProviders, {}, callerIn(newWorkspace()));
    expect(providers.map(({ id, kind }) => [id, kind])).toEqual([
      ['openai', 'model'],
      ['anthropic', 'model'],
    ]);
    for (const { fields, secrets, verified } of providers) {
      expect(fields.map(({ name, required }) => [name, required])).toEqual([
        ['base_url', false],
        ['model', true],
      ]);
      expect(secrets.map(({ name }) => name)).toEqual(['api_key']);
      expect(verified).toBe(false);
    }
  });
});
