import { describe, expect, test } from '@jest/globals';
import type { ChangedBlock } from '@tidemark/sdk';
import { foldFrame } from './fold-frame.ts';

const block = (landmark: string, op: ChangedBlock['op'] = 'removed'): ChangedBlock => ({
  op,
  section: '',
  landmark,
  before: 'A text',
  after: null,
  words: [],
  links: [],
  volatile: false,
  numericOnly: false,
});

describe('the blocks of a change', () => {
  test('of a removed page are those of its content first, and the parts around it are folded', () => {
    const [header, main, footer] = [block('header'), block('main'), block('footer')];
    expect(foldFrame([header, main, footer])).toEqual({ shown: [main], folded: [header, footer] });
  });

  test('of a page without a landmark for its content are all shown', () => {
    const blocks = [block('header'), block('other')];
    expect(foldFrame(blocks)).toEqual({ shown: blocks, folded: [] });
  });

  test('of a modified page are all shown: each one is a change', () => {
    const blocks = [block('main', 'edited'), block('header', 'added')];
    expect(foldFrame(blocks)).toEqual({ shown: blocks, folded: [] });
  });
});
