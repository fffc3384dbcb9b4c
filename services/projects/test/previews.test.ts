import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { askIn, type FakeGround, openOnFakes } from './fake-ground.ts';
import { configOf } from './projects-ground.ts';

const CHAT = 'https://hooks.example/services/T1/B2/secret';

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
afterAll(() => ground.close());

const client = (...more: [string?, Parameters<typeof askIn>[2]?]) => askIn(ground.service, ...more);

describe('unsaved changes', () => {
  it('are judged merged into what is saved, and are not kept', async () => {
    const { create, ask, get } = client();
    const { id: projectId } = await create({ max_pages: 5, exclude_paths: ['/tag/*'] });
    const configJson = JSON.stringify({ include_paths: ['/blog/*'], exclude_paths: null });
    expect((await ask(Rpc.dryRun, { projectId, configJson })).result?.known).toBe(7);
    const scope = { maxPages: 5, includePaths: ['/blog/*'], excludePaths: [] };
    expect(ground.crawl.asked.at(-1)).toMatchObject({ projectId, seed: 'https://site.test/', samples: 20, scope });
    expect((await ask(Rpc.previewSources, { projectId, configJson })).preview?.declared).toBe(3);
    expect(ground.crawl.asked.at(-1)).toMatchObject({ projectId, scope });
    expect(configOf(await get(projectId))).toEqual({ max_pages: 5, exclude_paths: ['/tag/*'] });
  });

  it('are settled as a capture goes by them, secrets masked', async () => {
    const { create, ask } = client();
    const { id: projectId } = await create({ chat_url: CHAT });
    const change = { device: 'mobile', chat_url: 'https://hooks.example/***' };
    const settled = await ask(Rpc.settleConfig, { projectId, configJson: JSON.stringify(change) });
    expect(settled).toMatchObject({ options: { device: 'mobile' }, scope: { maxPages: 1_000 } });
    expect(settled.project && configOf(settled.project)).toEqual({
      device: 'mobile',
      chat_url: 'https://hooks.example/***',
    });
  });

  it.each([
    ['a setting there is none of', { max_pagez: 5 }, /config\.max_pagez/],
    ['settings that contradict each other', { render_js: 'always', max_tier: 'http' }, /max_tier/],
    ['a value that is none', { max_pages: 'many' }, /max_pages/],
  ])('are refused with %s, by its name', async (_, change, message) => {
    const { create, ask } = client();
    const { id: projectId } = await create();
    const refused = { code: 'validation', message: expect.stringMatching(message) };
    const configJson = JSON.stringify(change);
    await expect(ask(Rpc.dryRun, { projectId, configJson })).rejects.toMatchObject(refused);
    await expect(ask(Rpc.settleConfig, { projectId, configJson })).rejects.toMatchObject(refused);
  });
});

describe('the sources of a project', () => {
  it('are told with its seed, its scope and what was found through each', async () => {
    const { create, ask } = client();
    const { id: projectId } = await create({ feeds: ['https://site.test/feed'] });
    const sources = await ask(Rpc.sources, { projectId });
    const scope = { feeds: ['https://site.test/feed'] };
    expect(sources).toMatchObject({ seed: 'https://site.test/', scope, found: { sitemap: 'read' } });
  });
});

describe('a recrawl', () => {
  it('asks for these pages, each once, whatever the config’s own list and limit', async () => {
    const { create, ask } = client();
    const { id: projectId } = await create({ max_pages: 1, url_list: ['https://site.test/other'] });
    const urls = ['https://site.test/a', 'https://site.test/a#top', 'https://www.site.test/b'];
    const { run } = await ask(Rpc.recrawl, { projectId, urls });
    expect(run).toMatchObject({ projectId, trigger: 'recrawl' });
    const scope = { urlList: ['https://site.test/a', 'https://www.site.test/b'], maxPages: 2 };
    expect(ground.crawl.started.at(-1)).toMatchObject({ trigger: 'recrawl', scope });
  });

  it('is refused with addresses that are none or another site’s, each named, and with too many or none', async () => {
    const { create, ask } = client();
    const { id: projectId } = await create();
    const before = ground.crawl.started.length;
    const urls = ['https://site.test/a', 'ftp://site.test/', 'https://other.test/'];
    await expect(ask(Rpc.recrawl, { projectId, urls })).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['body', 'urls', 1] }, { loc: ['body', 'urls', 2], type: 'another_site' }],
    });
    const many = Array.from({ length: 1_001 }, (_, i) => `https://site.test/${i}`);
    for (const list of [[], many]) {
      await expect(ask(Rpc.recrawl, { projectId, urls: list })).rejects.toMatchObject({ code: 'validation' });
    }
    expect(ground.crawl.started).toHaveLength(before);
  });
});

describe('runs of a project', () => {
  it('are told with their log, and without recrawls, where that is asked for', async () => {
    const { create, ask } = client();
    const { id: projectId } = await create();
    const { run } = await ask(Rpc.startRun, { projectId, trigger: '' });
    const of = (withLog: boolean) => ask(Rpc.getRun, { projectId, runId: run?.id ?? '', withLog });
    expect((await of(true)).log).toMatchObject([{ what: 'started', why: 'its turn came' }]);
    expect((await of(false)).log).toEqual([]);
    await ask(Rpc.listRuns, { projectId, status: '', limit: 10, cursor: '', fullOnly: true });
    expect(ground.crawl.listed.at(-1)).toMatchObject({ projectId, fullOnly: true });
  });
});

describe('what a project would do', () => {
  it('is not there for another workspace, nor for a key that is for others', async () => {
    const mine = client();
    const [made, other] = [await mine.create(), await mine.create()];
    const projectId = made.id;
    for (const { ask } of [client(), client(mine.workspaceId, { projects: [other.id] })]) {
      const asked = [
        ask(Rpc.dryRun, { projectId, configJson: '' }),
        ask(Rpc.sources, { projectId }),
        ask(Rpc.previewSources, { projectId, configJson: '' }),
        ask(Rpc.settleConfig, { projectId, configJson: '' }),
        ask(Rpc.recrawl, { projectId, urls: ['https://site.test/a'] }),
        ask(Rpc.getRun, { projectId, runId: newId('run'), withLog: true }),
      ];
      for (const one of await Promise.allSettled(asked)) {
        expect(one).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
      }
    }
  });
});
