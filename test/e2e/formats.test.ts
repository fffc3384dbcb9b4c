import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FORMATS } from '@tidemark/project-config';
import { sharedFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { page as pageFile } from '../web/responses.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

const BODY_OF = {
  markdown: 'markdown',
  text: 'text',
  cleanHtml: 'cleanHtml',
  rawHtml: 'html',
  links: 'links',
} as const;
const STORY = 'a retired pilot named Edda Marsh';

const capture = (order: Readonly<Record<string, unknown>> = {}, path = '/article') =>
  workspace.writer.capture(web.url(path), order);

describe('formats', () => {
  test.each(FORMATS)('%s alone returns that body and no other', async (format) => {
    const { page } = await capture({ formats: format });
    const present = Object.values(BODY_OF).filter((body) => body in page);
    expect(present).toEqual([BODY_OF[format]]);
    expect(page[BODY_OF[format]]).not.toBeNull();
  });

  test('are accepted as a string, a list, in scrapeOptions or in the config, in this order of precedence', async () => {
    const bodies = async (order: object) => {
      const { page } = await capture({ ...order });
      return Object.values(BODY_OF).filter((body) => body in page);
    };
    expect(await bodies({ formats: 'text, links' })).toEqual(['text', 'links']);
    expect(await bodies({ formats: ['text', 'links'] })).toEqual(['text', 'links']);
    expect(await bodies({ scrapeOptions: { formats: 'text' }, config: { formats: ['links'] } })).toEqual(['text']);
    expect(await bodies({ config: { formats: ['links'] } })).toEqual(['links']);
    expect(await bodies({})).toEqual(['markdown']);
  });

  test('rawHtml is the response body, character by character', async () => {
    const { page } = await capture({ formats: 'rawHtml' });
    expect(page.html).toBe(pageFile('article.html').toString('utf8'));
  });

  test('cleanHtml has the structure without boilerplate, scripts and event handlers', async () => {
    const { page } = await capture({ formats: 'cleanHtml' });
    expect(page.cleanHtml).toContain('<h2>What the bolt said</h2>');
    expect(page.cleanHtml).toContain(STORY);
    expect(page.cleanHtml).not.toMatch(/<script|<nav|<style|onclick|Imprint/);
  });

  test('text contains no markup', async () => {
    const { page } = await capture({ formats: 'text' });
    expect(page.text).toContain(STORY);
    expect(page.text).not.toMatch(/<\w+|^#|\]\(/m);
  });

  test('links are absolute and include those of the navigation', async () => {
    const { page } = await capture({ formats: 'links' });
    const urls = page.links?.map(({ url }) => url);
    expect(urls).toEqual(expect.arrayContaining([web.url('/listing'), web.url('/about'), web.url('/imprint')]));
  });

  test('a page captured again has the requested bodies', async () => {
    const { job, page } = await capture({ formats: 'markdown,links' });
    const again = await workspace.reader.job(job.id);
    expect(again.data).toEqual([page]);
  });
});

describe('a captured page', () => {
  test('contains the main content, or the whole page if requested', async () => {
    const main = await capture();
    const whole = await capture({ scrapeOptions: { onlyMainContent: false } });
    const wholeByConfig = await capture({ config: { only_main_content: false } });
    expect(main.page.markdown).not.toContain('sailcloth');
    expect(whole.page.markdown).toContain('sailcloth');
    expect(whole.page.words).toBeGreaterThan(main.page.words);
    expect(wholeByConfig.page.markdown).toBe(whole.page.markdown);
  });

  test('contains title, language and head', async () => {
    const { page } = await capture();
    expect(page).toMatchObject({ title: 'The gauge at Harlow Point', language: 'en' });
    expect(page.head).toMatchObject({
      description: 'How a hundred and forty years of tide readings were put right.',
      canonical: web.url('/article'),
    });
  });

  test('with fewer words than min_words is a skipped row with the reason', async () => {
    const { page } = await capture({ config: { min_words: 30 } }, '/tiny');
    expect(page).toMatchObject({ verdict: 'skipped', errorCode: 'OK', warnings: ['short'] });
    expect(page.words).toBeLessThan(30);
  });
});
