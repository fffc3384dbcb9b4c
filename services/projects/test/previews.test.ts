import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { toConfigChange } from '@tidemark/project-config';
import { configOf } from './start-with-crawl.ts';
import { type ProjectsWithFakes, rpcClient, startWithFakes } from './start-with-fakes.ts';

const CHAT = 'https://hooks.example/hooks/secret00000000000000000000';

let fixture: ProjectsWithFakes;
beforeAll(async () => {
  fixture = await startWithFakes();
}, 120_000);
afterAll(() => fixture.close());

const client = (...more: [string?, Parameters<typeof rpcClient>[2]?]) => rpcClient(fixture.service, ...more);

describe('unsaved changes of a config', () => {
  it('are merged into the saved config for previews, and are not stored', async () => {
    const { create, call, get } = client();
    const { id: projectId } = await create({ max_pages: 5, exclude_paths: ['/tag/*'] });
    const change = toConfigChange({ include_paths: ['/blog/*'], exclude_paths: null });
    expect((await call(Rpc.dryRun, { projectId, change })).result?.known).toBe(7);
    const scope = { maxPages: 5, includePaths: ['/blog/*'], excludePaths: [] };
    expect(fixture.crawl.previewRequests.at(-1)).toMatchObject({
      projectId,
      seed: 'https://site.test/',
      samples: 20,
      scope,
    });
    expect((await call(Rpc.previewSources, { projectId, change })).preview?.declared).toBe(3);
    expect(fixture.crawl.previewRequests.at(-1)).toMatchObject({ projectId, scope });
    expect(configOf(await get(projectId))).toEqual({ max_pages: 5, exclude_paths: ['/tag/*'] });
  });

  it('are resolved to the options of a capture, with masked secrets', async () => {
    const { create, call } = client();
    const { id: projectId } = await create({ chat_url: CHAT });
    const change = { device: 'mobile', chat_url: 'https://hooks.example/***' };
    const resolved = await call(Rpc.resolveConfig, { projectId, change: toConfigChange(change) });
    expect(resolved).toMatchObject({ options: { device: 'mobile' }, scope: { maxPages: 1_000 } });
    expect(resolved.project && configOf(resolved.project)).toEqual({
      device: 'mobile',
      chat_url: 'https://hooks.example/***',
    });
  });

  it.each([
    ['an unknown setting', { set: undefined, removed: ['max_pagez'] }, /config\.max_pagez/],
    [
      'settings that contradict each other',
      { set: { renderJs: 'always' as const, maxTier: 'http' as const }, removed: [] },
      /max_tier/,
    ],
    ['a value out of range', { set: { maxPages: -1 }, removed: [] }, /max_pages/],
  ])('are refused with %s, with its name', async (_, change, message) => {
    const { create, call } = client();
    const { id: projectId } = await create();
    const refused = { code: 'validation', message: expect.stringMatching(message) };
    await expect(call(Rpc.dryRun, { projectId, change })).rejects.toMatchObject(refused);
    await expect(call(Rpc.resolveConfig, { projectId, change })).rejects.toMatchObject(refused);
  });
});

describe('sources', () => {
  it('returns the seed, the scope and the sources of the last run', async () => {
    const { create, call } = client();
    const { id: projectId } = await create({ feeds: ['https://site.test/feed'] });
    const sources = await call(Rpc.sources, { projectId });
    const scope = { feeds: ['https://site.test/feed'] };
    expect(sources).toMatchObject({ seed: 'https://site.test/', scope, found: { sitemap: 'read' } });
  });
});

describe('recrawl', () => {
  it('starts a run with only these URLs, each once, whatever the config’s own list and limit', async () => {
    const { create, call } = client();
    const { id: projectId } = await create({ max_pages: 1, url_list: ['https://site.test/other'] });
    const urls = ['https://site.test/a', 'https://site.test/a#top', 'https://www.site.test/b'];
    const { run } = await call(Rpc.recrawl, { projectId, urls });
    expect(run).toMatchObject({ projectId, trigger: 'recrawl' });
    const scope = { urlList: ['https://site.test/a', 'https://www.site.test/b'], maxPages: 2 };
    expect(fixture.crawl.started.at(-1)).toMatchObject({ trigger: 'recrawl', scope });
  });

  it('refuses invalid URLs and URLs of another site by their place, and too many or no URLs', async () => {
    const { create, call } = client();
    const { id: projectId } = await create();
    const before = fixture.crawl.started.length;
    const urls = ['https://site.test/a', 'ftp://site.test/', 'https://other.test/'];
    await expect(call(Rpc.recrawl, { projectId, urls })).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['body', 'urls', 1] }, { loc: ['body', 'urls', 2], type: 'another_site' }],
    });
    const many = Array.from({ length: 1_001 }, (_, i) => `https://site.test/${i}`);
    for (const list of [[], many]) {
      await expect(call(Rpc.recrawl, { projectId, urls: list })).rejects.toMatchObject({ code: 'validation' });
    }
    expect(fixture.crawl.started).toHaveLength(before);
  });
});

describe('getRun and listRuns', () => {
  it('return the log on request', async () => {
    const { create, call } = client();
    const { id: projectId } = await create();
    const { run } = await call(Rpc.startRun, { projectId, trigger: 'api' });
    const of = (withLog: boolean) => call(Rpc.getRun, { projectId, runId: run?.id ?? '', withLog });
    expect((await of(true)).log).toMatchObject([{ what: 'started', why: 'its turn came' }]);
    expect((await of(false)).log).toEqual([]);
  });
});

describe('previews, recrawl and getRun', () => {
  it('return not_found for another workspace and for a key of other projects', async () => {
    const mine = client();
    const [created, other] = [await mine.create(), await mine.create()];
    const projectId = created.id;
    for (const { call } of [client(), client(mine.workspaceId, { projects: [other.id] })]) {
      const requests = [
        call(Rpc.dryRun, { projectId }),
        call(Rpc.sources, { projectId }),
        call(Rpc.previewSources, { projectId }),
        call(Rpc.resolveConfig, { projectId }),
        call(Rpc.recrawl, { projectId, urls: ['https://site.test/a'] }),
        call(Rpc.getRun, { projectId, runId: newId('run'), withLog: true }),
      ];
      for (const one of await Promise.allSettled(requests)) {
        expect(one).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
      }
    }
  });
});
