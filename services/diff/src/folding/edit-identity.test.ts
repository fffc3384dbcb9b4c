import { describe, expect, it } from '@jest/globals';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { comparePages } from '../compare/compare-pages.ts';
import type { BlockChange } from '../domain/page-delta.ts';
import { type BlockSpec, blocksOf } from '../fixtures/site-pages.ts';
import { editOfBlock, editOfField } from './edit-identity.ts';

/** What becomes of a block that says one thing and then another. */
function edited(before: BlockSpec | string, after: BlockSpec | string): BlockChange {
  const { blocks } = comparePages(blocksOf({ blocks: [before] }), blocksOf({ blocks: [after] }), { deadlineMs: 5_000 });
  const [change] = blocks;
  if (change === undefined || blocks.length > 1) throw new Error(`${blocks.length} changes`);
  return change;
}

const name = (before: BlockSpec | string, after: BlockSpec | string): string => editOfBlock(edited(before, after)).name;
const linked = (text: string, ...links: string[]): BlockSpec => ({ text, links });

const release = name('The release that we recommend is 9.4.1 today', 'The release that we recommend is 9.4.2 today');

describe('an edit is alike on two pages', () => {
  it('where the same words were replaced, whatever stands around them', () => {
    expect(name('Download version 9.4.1 from here', 'Download version 9.4.2 from here')).toBe(release);
    expect(name('We use 9.4.1 and still 9.4.1 here', 'We use 9.4.2 and still 9.4.2 here')).toBe(release);
  });

  it('where addresses follow the words, however they write them', () => {
    const [old, now] = ['http://a.example/9_4_1/index.html', 'http://a.example/9_4_2/index.html'];
    expect(name(linked('The manual of 9.4.1 in full', old), linked('The manual of 9.4.2 in full', now))).toBe(release);
    expect(name(linked('What is new', old), linked('What is new', now))).toBe(release);
  });

  it.each([
    ['other words came', 'version 9.4.1 of it', 'version 9.5.0 of it'],
    ['they were replaced the other way round', 'version 9.4.2 of it', 'version 9.4.1 of it'],
    ['more was edited in the same block', 'version 9.4.1 of it for everyone', 'version 9.4.2 of it for nobody'],
  ])('and not where %s', (_, before, after) => {
    expect(name(before, after)).not.toBe(release);
  });

  it('and not where a link leads elsewhere than its words say', () => {
    const before = linked('The manual of 9.4.1 in full', 'http://a.example/manual');
    const after = linked('The manual of 9.4.2 in full', 'http://evil.example/manual');
    expect(name(before, after)).not.toBe(release);
  });
});

describe('only whole blocks tell edits apart', () => {
  it.each([
    ['of a word too short to be told from chance', 'chapter 2 of the', 'chapter 3 of the'],
    ['of a year', 'in force since 2022 for', 'in force since 2023 for'],
    ['of a price', 'costs $119.00 a month for', 'costs $129.00 a month for'],
  ])('%s', (_, before, after) => {
    expect(name(`${before} cats`, `${after} cats`)).not.toBe(name(`${before} dogs`, `${after} dogs`));
    expect(name(`${before} cats`, `${after} cats`)).toBe(name(`${before} cats`, `${after} cats`));
  });

  it('where so many addresses differ that none is looked into', () => {
    const many = (version: string): string[] =>
      Array.from({ length: 60 }, (_, at) => `http://a.example/${version}/${at}`);
    const of = (what: string): string =>
      name(linked(`All of ${what} 9.4.1`, ...many('9_4_1')), linked(`All of ${what} 9.4.2`, ...many('9_4_2')));
    expect(of('cats')).not.toBe(of('dogs'));
  });
});

it('an edit is of the content or of what stands around it; what a head says for other machines is beside both', () => {
  const footer = (text: string): BlockSpec => ({ text, landmark: Landmark.LANDMARK_FOOTER });
  expect(editOfBlock(edited('version 9.4.1 of it', 'version 9.4.2 of it')).scope).toBe('content');
  expect(editOfBlock(edited(footer('version 9.4.1 of it'), footer('version 9.4.2 of it'))).scope).toBe('around');
  const placeOf = (field: string): string => editOfField({ name: field, to: 'x' }).scope;
  expect(['og:title', 'og:image', 'json-ld'].map(placeOf)).toEqual(['beside', 'beside', 'beside']);
  expect(
    ['title', 'description', 'canonical', 'robots', 'hreflang', 'h1', 'status', 'fields.price'].map(placeOf),
  ).toEqual(Array(8).fill('content'));
});
