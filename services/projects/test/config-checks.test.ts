import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { askIn, type FakeGround, openOnFakes } from './fake-ground.ts';
import { clientIn } from './projects-ground.ts';

const CHAT = 'https://site.test/services/T1/B2/secret';

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
afterAll(() => ground.close());
afterEach(() => {
  ground.crawl.beforeJudging = () => undefined;
  ground.scrape.faultOf = () => '';
  ground.exports.isAway = false;
});

const client = () => askIn(ground.service);

/** Saving this is refused by the name of its field, whether with a new project or with one that is there; nothing is kept of it. */
async function expectRefused(config: object, loc: readonly (string | number)[]): Promise<void> {
  const { create, update, get } = client();
  const refusal = { code: 'validation', httpStatus: 422, detail: [{ loc: ['body', 'config', ...loc] }] };
  await expect(create(config)).rejects.toMatchObject(refusal);
  const { id } = await create({ max_pages: 5 });
  await expect(update(id, config)).rejects.toMatchObject(refusal);
  expect(await get(id)).toMatchObject({ configVersion: 1, configJson: '{"max_pages":5}' });
}

describe('a change of config', () => {
  it('with a pattern no run could go by is refused by its place', async () => {
    ground.crawl.beforeJudging = ({ scope }) => {
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
  ])('with a selector that is broken is refused by its place in %s', async (_, config, loc) => {
    ground.scrape.faultOf = (selector) => (selector === 'nav[' ? 'expected a name' : '');
    await expectRefused(config, loc);
  });

  it('finds the broken one among hundreds of selectors', async () => {
    ground.scrape.faultOf = (selector) => (selector === '.x99' ? 'broken' : '');
    const exclude_selectors = Array.from({ length: 100 }, (_, i) => `.x${i}`);
    await expectRefused({ exclude_selectors }, ['exclude_selectors', 99]);
  });

  it.each([
    ['webhook_url', { webhook_url: 'http://169.254.169.254/latest' }],
    ['chat_url', { chat_url: 'http://10.0.0.1/services/secret' }],
  ])('with a %s that is not on the public web is refused, and the address is not told', async (key, config) => {
    await expectRefused(config, [key]);
    await expect(client().create(config)).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
  });

  it('names only connections of its own workspace', async () => {
    const id = newId('con');
    ground.exports.owners.set(id, 'ws_other');
    await expectRefused({ change_digest: { connection_id: id } }, ['change_digest', 'connection_id']);
    const { workspaceId, create } = client();
    ground.exports.owners.set(id, workspaceId);
    await expect(create({ change_digest: { connection_id: id } })).resolves.toBeDefined();
  });

  it('of a key that is for some projects names no connection, whether there is one and whoever is away', async () => {
    const { workspaceId, create } = client();
    const [id, { id: projectId }] = [newId('con'), await create()];
    ground.exports.owners.set(id, workspaceId);
    const { update } = askIn(ground.service, workspaceId, { projects: [projectId] });
    for (const isAway of [false, true]) {
      ground.exports.isAway = isAway;
      await expect(update(projectId, { change_digest: { connection_id: id } })).rejects.toMatchObject({
        ...{ code: 'validation', detail: [{ loc: ['body', 'config', 'change_digest', 'connection_id'] }] },
      });
    }
  });

  it('is judged by all at once, and of several refusals the same is told', async () => {
    const gate = Promise.withResolvers<void>();
    ground.crawl.beforeJudging = async () => {
      await gate.promise;
      throw new AppError('validation', 'config.include_paths: refused');
    };
    ground.scrape.faultOf = () => {
      gate.resolve();
      return 'broken';
    };
    await expect(client().create({ include_paths: ['/a'], exclude_selectors: ['nav['] })).rejects.toMatchObject({
      message: expect.stringContaining('include_paths'),
    });
  });

  it('keeps a chat address that comes back masked, and takes one away that comes back empty', async () => {
    const { create, update } = client();
    const { id } = await create({ chat_url: CHAT });
    await update(id, { chat_url: 'https://site.test/***' });
    const { project } = await update(id, { chat_url: '' });
    expect(project?.configJson).toBe('{}');
  });

  it('is let through while those who would judge it are away: they judge it again where it is used', async () => {
    const away = (): never => {
      throw new AppError('unavailable', 'nobody answers');
    };
    Object.assign(ground.crawl, { beforeJudging: away });
    Object.assign(ground.scrape, { faultOf: away });
    ground.exports.isAway = true;
    const config = {
      include_paths: ['re:('],
      exclude_selectors: ['nav['],
      change_digest: { connection_id: newId('con') },
    };
    await expect(client().create(config)).resolves.toMatchObject({ configVersion: 1 });
  });

  it('that takes settings back, or touches none of these, is judged by nobody', async () => {
    ground.crawl.beforeJudging = () => {
      throw new AppError('internal', 'nobody is to be asked');
    };
    const { create, update } = client();
    const { id } = await create({ max_pages: 5 });
    await expect(
      update(id, { include_paths: null, exclude_selectors: null, change_digest: null, max_pages: 6 }),
    ).resolves.toBeDefined();
  });
});

it('projects made like a template are refused where its settings are, naming the template', async () => {
  const { workspaceId, create } = client();
  const template = await create({ exclude_selectors: ['nav['] });
  ground.scrape.faultOf = () => 'expected a name';
  const many = clientIn(ground.service, workspaceId);
  const order = { templateProjectId: template.id, keys: ['exclude_selectors'] };
  await expect(many.createAll(['https://site.test/a'], order)).rejects.toMatchObject({
    code: 'validation',
    detail: [{ loc: ['body', 'template_project_id'] }],
  });
});
