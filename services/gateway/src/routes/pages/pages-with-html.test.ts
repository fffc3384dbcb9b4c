import { describe, expect, it } from '@jest/globals';
import { QueryPagesRequest, QueryPagesResponse } from '@tidemark/contracts/archive/v1/archive';
import { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { LOOK_AT_ONCE, MAX_LOOKS, MAX_PAGES, pagesWithHtml } from './pages-with-html.ts';

const run = Run.fromPartial({ id: 'run_1', projectId: 'prj_1', seed: 'https://example.com/' });
const rowOf = (number: number, formats = ['markdown', 'rawHtml']): WireRow =>
  WireRow.fromPartial({ id: `cap_${number}`, url: `https://example.com/${number}`, formats });

/** An archive with these pages, and how often it was asked. */
function archiveOf(rows: readonly WireRow[]): Peer & { asked: number } {
  const answer = ({ after, limit }: QueryPagesRequest): QueryPagesResponse => {
    const shown = rows.slice(after, after + limit);
    return QueryPagesResponse.fromPartial({
      pages: shown.map((row, at) => ({ page: { row }, known: { number: after + at + 1 } })),
      last: after + shown.length,
      isMore: after + shown.length < rows.length,
    });
  };
  return {
    service: 'archive',
    asked: 0,
    async ready() {},
    async close() {},
    async call(method, request) {
      this.asked += 1;
      const answered = answer(QueryPagesRequest.decode(method.requestSerialize(request)));
      return method.responseDeserialize(Buffer.from(QueryPagesResponse.encode(answered).finish()));
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

describe('pages with html', () => {
  it('begin with the home page, wherever in the run it ended, and hold each once', async () => {
    const rows = [rowOf(1), rowOf(2), rowOf(3)];
    const found = await find(archiveOf(rows), rows[2]);
    expect([ids(found.rows), found.without]).toEqual([['cap_3', 'cap_1', 'cap_2'], 0]);
  });

  it('are found without a home page, and those met without html are counted', async () => {
    const found = await find(archiveOf([rowOf(1, ['markdown']), rowOf(2), rowOf(3, [])]));
    expect([ids(found.rows), found.without]).toEqual([['cap_2'], 2]);
  });

  it('are a hundred at most', async () => {
    const many = Array.from({ length: 300 }, (_, at) => rowOf(at));
    const archive = archiveOf(many);
    const found = await find(archive, many[299]);
    expect([found.rows.length, found.rows[0]?.id, archive.asked]).toEqual([MAX_PAGES, 'cap_299', 1]);
  });

  it('are looked for in a bounded part of a run that has hardly any', async () => {
    const archive = archiveOf(Array.from({ length: 10_000 }, (_, at) => rowOf(at, ['markdown'])));
    const found = await find(archive);
    expect([found.rows, found.without, archive.asked]).toEqual([[], MAX_LOOKS * LOOK_AT_ONCE, MAX_LOOKS]);
  });
});
