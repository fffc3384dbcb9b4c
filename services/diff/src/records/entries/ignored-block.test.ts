import { expect, it } from '@jest/globals';
import { blocksOf } from '../../../test/fixtures/site-pages.ts';
import { comparePages } from '../../comparison/compare-pages.ts';
import type { Ignored } from '../../volatility/volatility-model.ts';
import { ignoredBlocks } from './ignored-block.ts';

const page = { pageKey: 'a.example', url: 'http://a.example/' };
const why = (place: string): Ignored => ({ reason: 'recaptures_differ', place, since: '', comparisons: 1, changed: 1 });

const differencesOf = (before: readonly string[], after: readonly string[]) =>
  comparePages(blocksOf({ blocks: before }), blocksOf({ blocks: after }), { deadlineMs: 5_000 }).blocks;

it('ignoredBlocks lists a text and the one that replaces it at its place as one change', () => {
  const differences = differencesOf(
    ['Well begun is half done', 'A text that stays'],
    ['A text that stays', 'Slow water wears down rocks'],
  );
  expect(differences.map(({ op }) => op)).toEqual(['removed', 'added']);
  const texts = { before: 'Well begun is half done', after: 'Slow water wears down rocks' };
  expect(
    ignoredBlocks(
      page,
      differences.map((change) => ({ change, why: why('p') })),
    ),
  ).toMatchObject([{ op: 'replaced', ...texts }]);
  const apart = differences.map((change) => ({ change, why: why(change.op) }));
  expect(ignoredBlocks(page, apart)).toMatchObject([
    { op: 'removed', before: texts.before, after: null },
    { op: 'added', before: null, after: texts.after },
  ]);
});
