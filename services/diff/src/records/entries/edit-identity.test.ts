import { describe, expect, it } from '@jest/globals';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { type BlockSpec, blocksOf } from '../../../test/fixtures/site-pages.ts';
import { comparePages } from '../../comparison/compare-pages.ts';
import type { BlockChange } from '../../domain/page-delta.ts';
import { editOfBlock, editOfField } from './edit-identity.ts';

/** Returns the change of a block from one text to another. */
function edited(before: BlockSpec | string, after: BlockSpec | string): BlockChange {
  const { blocks } = comparePages(blocksOf({ blocks: [before] }), blocksOf({ blocks: [after] }), { deadlineMs: 5_000 });
  const [change] = blocks;
  if (change === undefined || blocks.length > 1) throw new Error(`${blocks.length} changes`);
  return change;
}

const name = (before: BlockSpec | string, after: BlockSpec | string): string => editOfBlock(edited(before, after)).name;
const linked = (text: string, ...links: string[]): BlockSpec => ({ text, links });

const release = name('The release that we recommend is 9.4.1 today', 'The release that we recommend is 9.4.2 today');

describe('editOfBlock gives edits on different pages the same name', () => {
  it('when the same words were replaced in different contexts', () => {
    expect(name('Download version 9.4.1 from here', 'Download version 9.4.2 from here')).toBe(release);
    expect(name('We use 9.4.1 and still 9.4.1 here', 'We use 9.4.2 and still 9.4.2 here')).toBe(release);
  });

  it('when link targets changed along with the words', () => {
    const [old, now] = ['http://a.example/9_4_1/index.html', 'http://a.example/9_4_2/index.html'];
    expect(name(linked('The manual of 9.4.1 in full', old), linked('The manual of 9.4.2 in full', now))).toBe(release);
    expect(name(linked('What is new', old), linked('What is new', now))).toBe(release);
  });

  it.each([
    ['different words were inserted', 'version 9.4.1 of it', 'version 9.5.0 of it'],
    ['the replacement is reversed', 'version 9.4.2 of it', 'version 9.4.1 of it'],
    ['the block has more edits', 'version 9.4.1 of it for everyone', 'version 9.4.2 of it for nobody'],
  ])('but not when %s', (_, before, after) => {
    expect(name(before, after)).not.toBe(release);
  });

  it('but not when a link target changes independently of its text', () => {
    const before = linked('The manual of 9.4.1 in full', 'http://a.example/manual');
    const after = linked('The manual of 9.4.2 in full', 'http://evil.example/manual');
    expect(name(before, after)).not.toBe(release);
  });
});

describe('editOfBlock compares whole blocks', () => {
  it.each([
    ['for a replacement shorter than the minimum', 'chapter 2 of the', 'chapter 3 of the'],
    ['of a year', 'in force since 2022 for', 'in force since 2023 for'],
    ['of a price', 'costs $119.00 a month for', 'costs $129.00 a month for'],
  ])('%s', (_, before, after) => {
    expect(name(`${before} cats`, `${after} cats`)).not.toBe(name(`${before} dogs`, `${after} dogs`));
    expect(name(`${before} cats`, `${after} cats`)).toBe(name(`${before} cats`, `${after} cats`));
  });

  it('when too many link targets differ', () => {
    const manyLinks = (version: string): string[] =>
      Array.from({ length: 60 }, (_, at) => `http://a.example/${version}/${at}`);
    const of = (what: string): string =>
      name(
        linked(`All of ${what} 9.4.1`, ...manyLinks('9_4_1')),
        linked(`All of ${what} 9.4.2`, ...manyLinks('9_4_2')),
      );
    expect(of('cats')).not.toBe(of('dogs'));
  });
});

it('edits are assigned to content, boilerplate or metadata', () => {
  const footer = (text: string): BlockSpec => ({ text, landmark: Landmark.LANDMARK_FOOTER });
  expect(editOfBlock(edited('version 9.4.1 of it', 'version 9.4.2 of it')).scope).toBe('content');
  expect(editOfBlock(edited(footer('version 9.4.1 of it'), footer('version 9.4.2 of it'))).scope).toBe('boilerplate');
  const scopeOf = (field: string): string => editOfField({ name: field, to: 'x' }).scope;
  expect(['og:title', 'og:image', 'json-ld'].map(scopeOf)).toEqual(['metadata', 'metadata', 'metadata']);
  expect(
    ['title', 'description', 'canonical', 'robots', 'hreflang', 'h1', 'status', 'fields.price'].map(scopeOf),
  ).toEqual(Array(8).fill('content'));
});
