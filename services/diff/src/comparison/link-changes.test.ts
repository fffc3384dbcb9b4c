import { describe, expect, it } from '@jest/globals';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { block, pageOf } from '../../test/sample-pages.ts';
import type { PageDelta } from '../domain/page-delta.ts';
import { comparePages } from './compare-pages.ts';

const compare = (before: PageBlocks, after: PageBlocks): PageDelta =>
  comparePages(before, after, { deadlineMs: 5_000 });

describe('comparePages for links', () => {
  it('reports a changed link target under unchanged text as an edit of links, with text and both targets', () => {
    const link = (to: string) => pageOf([block('See the dataset.', { links: [to], linkTexts: ['the dataset'] })]);
    const delta = compare(link('https://a.example/1'), link('https://a.example/2'));
    expect(delta.blocks).toMatchObject([
      {
        op: 'relinked',
        wordsAdded: 0,
        links: [{ text: 'the dataset', from: 'https://a.example/1', to: 'https://a.example/2' }],
      },
    ]);
  });

  it('pairs changed link targets by the text of the link', () => {
    const links = (...targets: string[]) =>
      pageOf([block('Terms and prices', { links: targets, linkTexts: ['Terms', 'prices'] })]);
    expect(
      compare(
        links('https://a.example/t1', 'https://a.example/p1'),
        links('https://a.example/t2', 'https://a.example/p2'),
      ).blocks[0]?.links,
    ).toEqual([
      { text: 'Terms', from: 'https://a.example/t1', to: 'https://a.example/t2' },
      { text: 'prices', from: 'https://a.example/p1', to: 'https://a.example/p2' },
    ]);
  });

  it('takes links of which only random parts differ for volatile where several of a page do, and reports a single one', () => {
    const page = (count: number, tokens: readonly string[]) =>
      pageOf(
        Array.from({ length: count }, (_, at) =>
          block(`Open file ${'abcdef'[at]}`, { links: [`https://a.example/f/${at}/${tokens[at]}`] }),
        ),
      );
    const [old, now] = [
      ['9f8e7d6c5b4a39281706', '1a2b3c4d5e6f70819203', 'aa11bb22cc33dd44ee55'],
      ['0123456789abcdef0123', 'ffeeddccbbaa99887766', '5e6f70819203aa11bb22'],
    ];
    expect(compare(page(3, old), page(3, now)).blocks.map(({ isVolatile }) => isVolatile)).toEqual([true, true, true]);
    expect(compare(page(1, old), page(1, now)).blocks.map(({ isVolatile }) => isVolatile)).toEqual([undefined]);
  });

  it('does not call the order of links or a space before punctuation a change', () => {
    const page = (text: string, ...links: string[]) => pageOf([block(text, { links })]);
    const [one, other] = ['https://a.example/1', 'https://a.example/2'];
    expect(
      compare(page('It is free , and stays.', one, other), page('It is free, and stays.', other, one)).blocks,
    ).toEqual([]);
  });
});
