import { describe, expect, it } from '@jest/globals';
import { BlockKind } from '@tidemark/contracts/page/v1/blocks';
import { block, pageOf } from '../../test/sample-pages.ts';
import { comparePages } from './compare-pages.ts';
import { isSelfUpdating } from './self-updating-edit.ts';

const idle = (mask: string | undefined, before: string, after: string): boolean =>
  isSelfUpdating(block(before, { mask }), block(after, { mask }));

describe('isSelfUpdating', () => {
  it.each([
    ['an age', 'Updated {age}', 'Updated 3 hours ago', 'Updated 4 hours ago'],
    ['views', 'Seen: {count} on {date}', 'Seen: 4,099 views on 2026-01-12', 'Seen: 4,116 views on 2026-01-12'],
    ['a clock', 'rendered {timestamp}', 'rendered 2026-01-12T11:47:42Z', 'rendered 2026-01-12T11:48:02Z'],
    ['the current date', '{weekday date}', 'Wednesday, February 01, 2017', 'Thursday, February 02, 2017'],
  ])('accepts an edit of %s', (_, mask, before, after) => {
    expect(idle(mask, before, after)).toBe(true);
  });

  it.each([
    ['a due date', 'Due {date}', 'Due 2026-01-12', 'Due 2026-12-01'],
    ['a date', '{date}', '12 January 2026', '1 December 2026'],
    ['a due weekday and date', 'Due {weekday date}', 'Due Monday, 5 January', 'Due Tuesday, 6 January'],
    ['views and a date', '{count}, {date}', '7 views, 2026-01-12', '8 views, 2026-01-13'],
    ['a price', undefined, '$19', '$91'],
  ])('rejects an edit of %s', (_, mask, before, after) => {
    expect(idle(mask, before, after)).toBe(false);
  });

  it('rejects edits of headings and of link targets', () => {
    const mask = '{age}';
    const heading = { mask, kind: BlockKind.BLOCK_KIND_HEADING };
    expect(isSelfUpdating(block('1 day ago', heading), block('2 days ago', heading))).toBe(false);
    expect(
      isSelfUpdating(block('1 day ago', { mask, links: ['a:'] }), block('2 days ago', { mask, links: ['b:'] })),
    ).toBe(false);
  });

  it('makes comparePages list the edit as volatile without counting it', () => {
    const page = (text: string) => pageOf([block(text, { mask: '{age}' })]);
    const delta = comparePages(page('1 day ago'), page('2 days ago'), { deadlineMs: 5_000 });
    expect(delta).toMatchObject({ wordsAdded: 0, wordsRemoved: 0, blocks: [{ op: 'edited', isVolatile: true }] });
  });
});
