import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBlobs } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import type { ReadTask } from '@tidemark/page-reader';
import { readBody, USUAL_CONTENT } from '@tidemark/page-reader';
import { makeKeepBodies } from './keep-bodies.ts';

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
  const requested = task(more);
  return makeKeepBodies(blobUrl)(requested, await readBody(requested));
}

describe('makeKeepBodies', () => {
  it('appends bodies on the thread and returns them only to a waiting client', async () => {
    const [waitedFor, followed] = [await kept({}), await kept({ output: 'graph' })];
    expect(PageBodies.decode(waitedFor.bodies).markdown).toContain('# Tides');
    expect(followed.bodies.length).toBe(0);
    const { kept: appended } = followed;
    if (appended === undefined || !('segment' in appended)) throw new Error('expected appended bodies');
    expect(appended.sha256).toBe(waitedFor.kept?.sha256);
    const blobs = openBlobs(pathToFileURL(folder).href);
    await blobs.commit(appended);
    const stored = await blobs.get(appended.sha256);
    expect(PageBodies.decode(stored).markdown).toContain('# Tides');
  });

  it('returns links for a crawl', async () => {
    const { graph } = await kept({ output: 'graph' });
    expect(graph).toEqual({ links: ['https://example.com/next'], canonical: '', nofollow: false, noindex: false });
    expect((await kept({ output: 'bodies' })).graph).toBeUndefined();
  });

  it('packs and returns bodies if the store is not a folder', async () => {
    const { kept: packed } = await kept({ output: 'none' }, 's3://pages');
    expect(packed).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), packed: expect.any(Uint8Array) });
  });

  it('does not store the bodies of a refusal, because another rung may still read the page', async () => {
    const refused = await kept({ status: 403, output: 'graph' });
    expect(refused.kept).toBeUndefined();
    expect(refused.bodies.length).toBeGreaterThan(0);
  });

  it('leaves storing to the caller if the disk fails', async () => {
    const { kept: packed } = await kept({ output: 'graph' }, 'file:///dev/null/nowhere');
    expect(packed).toHaveProperty('packed');
  });
});
