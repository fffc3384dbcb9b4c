import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { MemoryProject } from './fixtures/memory-site.ts';
import type { SitePages } from './fixtures/site-pages.ts';

const PAGES = 10_000;

function site(edited: (page: number) => boolean): SitePages {
  const pages: [string, SitePages[string]][] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const blocks = Array.from({ length: 8 }, (_, line) => `page ${page} line ${line} says so much and no more`);
    if (edited(page)) blocks[3] = `page ${page} line 3 says what nobody said before ${page}`;
    pages.push([`http://a.example/section${page % 20}/page${page}`, { blocks }]);
  }
  return Object.fromEntries(pages);
}

describe('two runs of 10,000 pages of which one in twenty changed', () => {
  it('are compared in bounded time, opening only those that changed', async () => {
    const project = new MemoryProject();
    await project.run(site(() => false));
    // Reading the site is the fixture's time, not the record's.
    const readings = project.read(
      'run_2',
      site((page) => page % 20 === 0),
    );
    const cpuMs = countCpuMs();
    const { head, opened } = await project.make('run_2', readings, {});
    const tookMs = cpuMs();
    expect(head.counts).toMatchObject({ modified: 500, same: 9_500 });
    expect(opened).toHaveLength(1_000);
    // Two seconds on a quiet machine (`npm run bench:diff` is the referee); what is quadratic takes minutes.
    expect(tookMs).toBeLessThan(15_000);
  });
});
