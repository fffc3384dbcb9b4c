import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { MemoryProject } from '../../../test/fixtures/memory-project.ts';
import type { SitePages } from '../../../test/fixtures/site-pages.ts';

const PAGES = 10_000;

function site(edited: (page: number) => boolean): SitePages {
  const pages: [string, SitePages[string]][] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const blocks = Array.from({ length: 8 }, (_, line) => `page ${page} line ${line} has so many words and no more`);
    if (edited(page)) blocks[3] = `page ${page} line 3 has new words that no page had before ${page}`;
    pages.push([`http://a.example/section${page % 20}/page${page}`, { blocks }]);
  }
  return Object.fromEntries(pages);
}

describe('buildRecord with 10,000 pages of which one in twenty changed', () => {
  it('finishes in bounded time and loads only changed pages', async () => {
    const project = new MemoryProject();
    await project.run(site(() => false));
    // Excludes the time of the fixture.
    const readings = project.captureAll(
      'run_2',
      site((page) => page % 20 === 0),
    );
    const cpuMs = countCpuMs();
    const { head, opened } = await project.build('run_2', readings, {});
    const tookMs = cpuMs();
    expect(head.counts).toMatchObject({ modified: 500, same: 9_500 });
    expect(opened).toHaveLength(1_000);
    // Two seconds on an idle machine (see `npm run bench -- diff`); quadratic cost would take minutes.
    expect(tookMs).toBeLessThan(15_000);
  });
});
