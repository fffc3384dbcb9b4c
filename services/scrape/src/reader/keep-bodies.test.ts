import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { USUAL_CONTENT } from '../content/read-page.ts';
import { makeKeepBodies } from './keep-bodies.ts';
import { readBody } from './read-body.ts';
import type { ReadTask } from './read-task.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-bodies-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const HTML = `<main><h1>Tides</h1><p>${'word '.repeat(100)}<a href="/next">next</a></p></main>`;

function task(more: Partial<ReadTask> = {}): ReadTask {
  return {
    body: Buffer.from(HTML),
    contentType: 'text/html',
    status: 200,
    headers: {},
    requestedUrl: 'https://example.com/',
    landedUrl: 'https://example.com/',
    rendered: false,
    minWords: 0,
    languages: [],
    content: USUAL_CONTENT,
    parseDocuments: true,
    formats: ['markdown', 'links'],
    output: 'bodies',
    ...more,
  };
}

async function kept(more: Partial<ReadTask>, blobUrl: string | undefined = pathToFileURL(folder).href) {
  const asked = task(more);
  return makeKeepBodies(blobUrl)(asked, await readBody(asked));
}

describe('the bodies of a page that was read', () => {
  it('are kept by the thread, and handed over only to somebody who waits for them', async () => {
    const [waitedFor, followed] = [await kept({}), await kept({ output: 'graph' })];
    expect(PageBodies.decode(waitedFor.bodies).markdown).toContain('# Tides');
    expect(followed.bodies.length).toBe(0);
    expect(followed.kept).toEqual(waitedFor.kept);
    const stored = await openBlobs(pathToFileURL(folder).href).get(followed.kept?.sha256 ?? '');
    expect(PageBodies.decode(stored).markdown).toContain('# Tides');
  });

  it('give a crawl the links it goes on by', async () => {
    const { graph } = await kept({ output: 'graph' });
    expect(graph).toEqual({ links: ['https://example.com/next'], canonical: '', nofollow: false, noindex: false });
    expect((await kept({ output: 'bodies' })).graph).toBeUndefined();
  });

  it('are packed and handed over where the store is no folder', async () => {
    const { kept: packed } = await kept({ output: 'none' }, 's3://pages');
    expect(packed).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), packed: expect.any(Uint8Array) });
  });

  it('of a refusal are left as they are: another engine may yet read the page', async () => {
    const refused = await kept({ status: 403, output: 'graph' });
    expect(refused.kept).toBeUndefined();
    expect(refused.bodies.length).toBeGreaterThan(0);
  });

  it('are left to others where the disk refuses', async () => {
    const { kept: packed } = await kept({ output: 'graph' }, 'file:///dev/null/nowhere');
    expect(packed).toHaveProperty('packed');
  });
});
