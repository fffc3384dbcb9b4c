import { describe, expect, it } from '@jest/globals';
import { PageBodies, RunPage } from '@tidemark/contracts/page/v1/page';
import { pageRow } from '@tidemark/testkit';
import type { CrawledPage } from '../../queries/run-reader.ts';
import { ListCursors } from '../../requests/list-cursors.ts';
import { pageLinks } from '../../responses/page-row.ts';
import { rowLines } from './row-lines.ts';

const cursors = new ListCursors({ workspaceId: 'wsp_1', path: '/crawl/run_1' });
const lines = { formats: ['markdown'], links: pageLinks('http://127.0.0.1/v1', 'run_1', 'crawl'), cursors };

const pageOf = (number: number, markdown = 'tide'): CrawledPage => {
  const url = `https://example.com/${number}`;
  const bodies = Buffer.from(PageBodies.encode(PageBodies.fromPartial({ markdown })).finish());
  return {
    page: { row: pageRow({ url, askedUrl: url }), bodies },
    known: RunPage.fromPartial({ number, foundVia: 'link' }),
  };
};

/** Batches of which each states that it was read. */
async function* batchesOf(batches: readonly (readonly CrawledPage[])[], read: number[]) {
  for (const [at, batch] of batches.entries()) {
    read.push(at);
    yield batch;
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

describe('rowLines', () => {
  it('writes a line per page in order, with its bodies and the cursor after it', async () => {
    const { chunks } = await rowLines(batchesOf([[pageOf(1), pageOf(2)], [pageOf(3, 'line\nbreak')]], []), lines);
    const rows = (await textOf(chunks))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ url, markdown, cursor }) => [url, markdown, cursors.openNumber(cursor)])).toEqual([
      ['https://example.com/1', 'tide', 1],
      ['https://example.com/2', 'tide', 2],
      ['https://example.com/3', 'line\nbreak', 3],
    ]);
  });

  it('writes nothing for a crawl without pages', async () => {
    const { chunks } = await rowLines(batchesOf([], []), lines);
    expect(await textOf(chunks)).toBe('');
  });

  it('reads one batch ahead of the one that the client receives, and none after the client has gone', async () => {
    const read: number[] = [];
    const batches = Array.from({ length: 5 }, (_, at) => [pageOf(at + 1)]);
    const { chunks, stop } = await rowLines(batchesOf(batches, read), lines);
    const iterator = chunks[Symbol.asyncIterator]();
    await iterator.next();
    expect(read).toEqual([0, 1]);
    stop.abort();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(read).toEqual([0, 1]);
  });

  it('fails after the lines before a batch that can not be read, so that the connection is broken off', async () => {
    async function* failing() {
      yield [pageOf(1)];
      throw new Error('the archive is down');
    }
    const { chunks } = await rowLines(failing(), lines);
    const iterator = chunks[Symbol.asyncIterator]();
    expect((await iterator.next()).done).toBe(false);
    await expect(iterator.next()).rejects.toThrow('the archive is down');
  });

  it('fails before the first line if the first batch can not be read, so that the error has its status', async () => {
    const batches = batchesOf([], []);
    batches.next = () => Promise.reject(new Error('the archive is down'));
    await expect(rowLines(batches, lines)).rejects.toThrow('the archive is down');
  });
});
