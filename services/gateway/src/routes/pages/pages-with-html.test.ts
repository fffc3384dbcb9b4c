import { describe, expect, it } from '@jest/globals';
import { QueryPagesRequest, QueryPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { pageRow, runPage } from '@tidemark/testkit';
import { MAX_PAGES, MAX_QUERIES, PAGES_PER_QUERY, pagesWithHtml } from './pages-with-html.ts';

const run = Run.fromPartial({
  id: 'run_1',
  projectId: 'prj_1',
  seed: 'https://example.com/',
  status: 'done',
  trigger: 'api',
});
const rowOf = (number: number, formats = ['markdown', 'rawHtml']): WireRow =>
  pageRow({ id: `cap_${number}`, url: `https://example.com/${number}`, formats });

/** A fake archive with these pages that counts its calls. */
function archiveOf(rows: readonly WireRow[]): Peer & { calls: number } {
  const query = ({ after, limit }: QueryPagesRequest): QueryPagesResponse => {
    const shown = rows.slice(after, after + limit);
    return QueryPagesResponse.fromPartial({
      pages: shown.map((row, at) => ({ page: { row }, known: runPage({ number: after + at + 1 }) })),
      last: after + shown.length,
      isMore: after + shown.length < rows.length,
    });
  };
  return {
    service: 'archive',
    calls: 0,
    async ready() {},
    async close() {},
    async *stream() {},
    async call(method, request) {
      this.calls += 1;
      const response = query(QueryPagesRequest.decode(method.requestSerialize(request)));
      return method.responseDeserialize(Buffer.from(QueryPagesResponse.encode(response).finish()));
    },
  };
}

const find = (archive: Peer, home?: WireRow) =>
  pagesWithHtml(
    {
      archive,
      finder: {
        async row() {
          if (home === undefined) throw new AppError('not_found', 'the run has no such page');
          return home;
        },
      },
    },
    run,
    { requestId: 'req' },
  );
const ids = (rows: readonly WireRow[]): string[] => rows.map(({ id }) => id);

describe('pagesWithHtml', () => {
  it('returns the home page first and every page once', async () => {
    const rows = [rowOf(1), rowOf(2), rowOf(3)];
    const found = await find(archiveOf(rows), rows[2]);
    expect([ids(found.rows), found.without]).toEqual([['cap_3', 'cap_1', 'cap_2'], 0]);
  });

  it('works without a home page and counts pages without html', async () => {
    const found = await find(archiveOf([rowOf(1, ['markdown']), rowOf(2), rowOf(3, [])]));
    expect([ids(found.rows), found.without]).toEqual([['cap_2'], 2]);
  });

  it('returns at most 100 pages', async () => {
    const many = Array.from({ length: 300 }, (_, at) => rowOf(at));
    const archive = archiveOf(many);
    const found = await find(archive, many[299]);
    expect([found.rows.length, found.rows[0]?.id, archive.calls]).toEqual([MAX_PAGES, 'cap_299', 1]);
  });

  it('scans a bounded part of a run with few such pages', async () => {
    const archive = archiveOf(Array.from({ length: 10_000 }, (_, at) => rowOf(at, ['markdown'])));
    const found = await find(archive);
    expect([found.rows, found.without, archive.calls]).toEqual([[], MAX_QUERIES * PAGES_PER_QUERY, MAX_QUERIES]);
  });
});
