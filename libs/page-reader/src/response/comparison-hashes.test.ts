import { describe, expect, it } from '@jest/globals';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { documentTask } from '../../test/documents/read-task.ts';
import { BLOCKS_VERSION } from '../blocks/blocks-version.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readBody } from './read-body.ts';
import type { ReadResult, ReadTask } from './read-task.ts';

const prose = '<p>The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.</p>';
const html = (more = '', head = '') =>
  `<html lang="en"><head><title>Boats</title>${head}</head><nav>Menu</nav><main><h1>Boats</h1>${prose.repeat(8)}${more}</main><footer>End</footer></html>`;
const cut = (body: string, more: Partial<ReadTask> = {}): Promise<ReadResult> =>
  readBody(documentTask(body, 'text/html', { cut: { volatileSelectors: [] }, formats: ['markdown'], ...more }));
const blocksOf = ({ bodies }: ReadResult): string[] => {
  const { blocks } = PageBodies.decode(bodies);
  return blocks === undefined ? [] : PageBlocks.decode(blocks).blocks.map(({ text }) => text);
};
const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');
const field = (selector: string, many = false) => ({ selector, type: 'string', many });

describe('comparison hashes', () => {
  it('come with the blocks and the matched selectors, whatever else is requested', async () => {
    for (const formats of [['markdown'], ['links'], []]) {
      const result = await cut(html(), { formats });
      expect(blocksOf(result)).toEqual(['Menu', 'Boats', ...Array(8).fill(expect.any(String)), 'End']);
      expect(result.compared).toMatchObject({ blocksVersion: BLOCKS_VERSION, matched: { fields: [], include: [] } });
      expect(hex(result.compared?.contentHash)).toHaveLength(32);
    }
  });

  it('are computed only if blocks are requested', async () => {
    const { cut: _, ...task } = documentTask(html(), 'text/html');
    const result = await readBody(task);
    expect(result.compared).toBeUndefined();
    expect(PageBodies.decode(result.bodies).blocks).toBeUndefined();
  });

  it('are absent for a refusal', async () => {
    const result = await cut(html(), { status: 404 });
    expect(result.classification.verdict).toBe('blocked');
    expect(result.compared).toBeUndefined();
    expect(blocksOf(result)).toEqual([]);
  });

  it('list the fields and include selectors that match', async () => {
    const fields = { title: field('h1'), price: field('.price'), rows: field('li', true), all: field('p', true) };
    const content = { ...USUAL_CONTENT, fields, includeSelectors: ['main', '.gone'] };
    const { compared } = await cut(html(), { content });
    expect(compared?.matched).toEqual({ fields: ['title', 'all'], include: ['main'] });
  });

  it('exist for documents too', async () => {
    const task = documentTask('name,age\nAda,36', 'text/csv', { cut: { volatileSelectors: [] } });
    const result = await readBody(task);
    expect(blocksOf(result)).toEqual(['name | age', 'Ada | 36']);
    expect(result.compared?.comparedHash).toHaveLength(16);
  });
});

describe('comparedHash', () => {
  const of = async (body: string, more: Partial<ReadTask> = {}) => hex((await cut(body, more)).compared?.comparedHash);

  it('changes with the order of blocks, the head, and each field', async () => {
    const pages = [
      html(),
      html('<p>x</p>'),
      html('<p>y</p>'),
      html('', '<meta name="description" content="d">'),
      html().replace('Menu', 'Home'),
      html().replace('End', ''),
    ];
    const hashes = await Promise.all(pages.map((page) => of(page)));
    const fields = (name: string, selector: string) => ({
      content: { ...USUAL_CONTENT, fields: { [name]: field(selector) } },
    });
    hashes.push(await of(html(), fields('a', 'h1')), await of(html(), fields('b', 'h1')));
    hashes.push(await of(html(), fields('a', 'nav')));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('does not change with the markup or the order of fields', async () => {
    expect(await of(html('<p class="a">x</p>'))).toBe(await of(html('<P  class=b>x\n</P>')));
    const [one, other] = [
      { a: field('h1'), b: field('nav') },
      { b: field('nav'), a: field('h1') },
    ];
    expect(await of(html(), { content: { ...USUAL_CONTENT, fields: one } })).toBe(
      await of(html(), { content: { ...USUAL_CONTENT, fields: other } }),
    );
  });
});
