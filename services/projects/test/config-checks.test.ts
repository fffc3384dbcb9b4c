import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage } from '@tidemark/project-config';
import { configOf, projectClient } from './start-with-crawl.ts';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

const CHAT = 'https://site.test/hooks/secret00000000000000000000';

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
afterAll(() => fixture.close());
afterEach(() => {
  fixture.crawl.onEvaluate = () => undefined;
  fixture.scrape.faultOf = () => undefined;
  fixture.exports.isUnavailable = false;
});

const client = () => rpcClient(fixture.service);

/** Expects that this config is refused with the name of the field when a project is created or updated, and that nothing is saved. */
async function expectRefused(config: object, loc: readonly (string | number)[]): Promise<void> {
  const { create, update, get } = client();
  const refusal = { code: 'validation', httpStatus: 422, detail: [{ loc: ['body', 'config', ...loc] }] };
  await expect(create(config)).rejects.toMatchObject(refusal);
  const { id } = await create({ max_pages: 5 });
  await expect(update(id, config)).rejects.toMatchObject(refusal);
  const kept = await get(id);
  expect(kept.configVersion).toBe(1);
  expect(configOf(kept)).toEqual({ max_pages: 5 });
}

describe('a config change', () => {
  it('with an invalid pattern is refused with its place', async () => {
    fixture.crawl.onEvaluate = ({ scope }) => {
      if (!scope?.includePaths.includes('re:(')) return;
      const detail = [{ loc: ['body', 'config', 'include_paths', 0], msg: 'missing )', type: 'pattern_refused' }];
      throw new AppError('validation', 'config.include_paths: missing )', { detail });
    };
    await expectRefused({ include_paths: ['re:('] }, ['include_paths', 0]);
  });

  it.each([
    ['exclude_selectors', { exclude_selectors: ['nav', 'nav['] }, ['exclude_selectors', 1]],
    ['volatile_selectors', { volatile_selectors: ['nav['] }, ['volatile_selectors', 0]],
    ['fields', { fields: { price: { selector: 'nav[' } } }, ['fields', 'price', 'selector']],
  ])('with an invalid selector is refused with its place in %s', async (_, config, loc) => {
    fixture.scrape.faultOf = (selector) => (selector === 'nav[' ? 'expected a name' : undefined);
    await expectRefused(config, loc);
  });

  it('with one invalid selector among a hundred is refused with its place', async () => {
    fixture.scrape.faultOf = (selector) => (selector === '.x99' ? 'broken' : undefined);
    const exclude_selectors = Array.from({ length: 100 }, (_, i) => `.x${i}`);
    await expectRefused({ exclude_selectors }, ['exclude_selectors', 99]);
  });

  it.each([
    ['webhook_url', { webhook_url: 'http://169.254.169.254/latest' }],
    ['chat_url', { chat_url: 'http://10.0.0.1/hooks/secret00000000000000000000' }],
  ])(
    'with a %s that is not on the public web is refused, and the error does not contain the URL',
    async (key, config) => {
      await expectRefused(config, [key]);
      await expect(client().create(config)).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
    },
  );

  it('with a feed that is not on the public web is refused with its place', async () => {
    const feeds = ['https://site.test/a.xml', 'http://169.254.169.254/feed.xml', 'http://10.0.0.1/feed'];
    await expectRefused({ feeds: feeds.slice(0, 2) }, ['feeds', 1]);
    await expect(client().create({ feeds })).rejects.toMatchObject({
      detail: [{ loc: ['body', 'config', 'feeds', 1] }, { loc: ['body', 'config', 'feeds', 2] }],
    });
  });

  it.each(['change_digest', 'extract'])('may name only connections of its own workspace in %s', async (key) => {
    const id = newId('con');
    const config = { [key]: { connection_id: id, ...(key === 'extract' ? { schema: { type: 'object' } } : {}) } };
    fixture.exports.owners.set(id, 'ws_other');
    await expectRefused(config, [key, 'connection_id']);
    const { workspaceId, create } = client();
    fixture.exports.owners.set(id, workspaceId);
    await expect(create(config)).resolves.toBeDefined();
  });

  it('of a key with a project allow-list may change no extraction', async () => {
    const { workspaceId, create } = client();
    const [id, { id: projectId }] = [newId('con'), await create()];
    fixture.exports.owners.set(id, workspaceId);
    const { update } = rpcClient(fixture.service, workspaceId, { projects: [projectId] });
    await expect(update(projectId, { extract: { connection_id: id, schema: {} } })).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['body', 'config', 'extract', 'connection_id'] }],
    });
  });

  it('of a key with a project allow-list may name no connection, whether or not it exists and export is available', async () => {
    const { workspaceId, create } = client();
    const [id, { id: projectId }] = [newId('con'), await create()];
    fixture.exports.owners.set(id, workspaceId);
    const { update } = rpcClient(fixture.service, workspaceId, { projects: [projectId] });
    for (const isUnavailable of [false, true]) {
      fixture.exports.isUnavailable = isUnavailable;
      await expect(update(projectId, { change_digest: { connection_id: id } })).rejects.toMatchObject({
        code: 'validation',
        detail: [{ loc: ['body', 'config', 'change_digest', 'connection_id'] }],
      });
    }
  });

  it('is checked concurrently, and several refusals always give the same error', async () => {
    const gate = Promise.withResolvers<void>();
    fixture.crawl.onEvaluate = async () => {
      await gate.promise;
      throw new AppError('validation', 'config.include_paths: refused');
    };
    fixture.scrape.faultOf = () => {
      gate.resolve();
      return 'broken';
    };
    await expect(client().create({ include_paths: ['/a'], exclude_selectors: ['nav['] })).rejects.toMatchObject({
      message: expect.stringContaining('include_paths'),
    });
  });

  it('keeps the stored chat URL if it is masked, and removes it if it is empty', async () => {
    const { create, update } = client();
    const { id } = await create({ chat_url: CHAT });
    await update(id, { chat_url: 'https://site.test/***' });
    const { project } = await update(id, { chat_url: '' });
    expect(fromConfigMessage(project?.config)).toEqual({});
  });

  it('passes while the services that check it are unavailable', async () => {
    const unavailable = (): never => {
      throw new AppError('unavailable', 'the service cannot be reached');
    };
    Object.assign(fixture.crawl, { onEvaluate: unavailable });
    Object.assign(fixture.scrape, { faultOf: unavailable });
    fixture.exports.isUnavailable = true;
    const config = {
      include_paths: ['re:('],
      exclude_selectors: ['nav['],
      change_digest: { connection_id: newId('con') },
    };
    await expect(client().create(config)).resolves.toMatchObject({ configVersion: 1 });
  });

  it('that removes these settings, or contains none of them, is not checked by other services', async () => {
    fixture.crawl.onEvaluate = () => {
      throw new AppError('internal', 'not expected');
    };
    const { create, update } = client();
    const { id } = await create({ max_pages: 5 });
    await expect(
      update(id, { include_paths: null, exclude_selectors: null, change_digest: null, max_pages: 6 }),
    ).resolves.toBeDefined();
  });
});

it('createProjects is refused with the field of the template if the template’s config is refused', async () => {
  const { workspaceId, create } = client();
  const template = await create({ exclude_selectors: ['nav['] });
  fixture.scrape.faultOf = () => 'expected a name';
  const many = projectClient(fixture.service, workspaceId);
  const request = { templateProjectId: template.id, keys: ['exclude_selectors'] };
  await expect(many.createAll(['https://site.test/a'], request)).rejects.toMatchObject({
    code: 'validation',
    detail: [{ loc: ['body', 'template_project_id'] }],
  });
});
