import { describe, expect, it } from '@jest/globals';
import type { ChangedBlock } from '@tidemark/sdk';
import { editsOf } from './edits-of.ts';

const block = (more: Partial<ChangedBlock>): ChangedBlock => ({
  op: 'edited',
  section: '',
  landmark: 'main',
  before: null,
  after: null,
  words: [],
  links: [],
  volatile: false,
  numericOnly: false,
  ...more,
});
const price = block({
  words: [
    { op: '=', text: 'From €' },
    { op: '-', text: '65' },
    { op: '+', text: '49' },
    { op: '=', text: ' a month' },
  ],
});

describe('the edits in the row of a change', () => {
  it('are whole words, before and after', () => {
    expect(editsOf({ blocks: [price], fields: [] }, 2)).toEqual({ shown: [{ old: '€65', now: '€49' }], more: 0 });
  });

  it('are the text of an added and of a removed block', () => {
    const blocks = [block({ op: 'added', after: 'New  here' }), block({ op: 'removed', before: 'Gone' })];
    expect(editsOf({ blocks, fields: [] }, 2).shown).toEqual([
      { old: null, now: 'New here' },
      { old: 'Gone', now: null },
    ]);
  });

  it('are those of the content before those around it, and state how many more there are', () => {
    const footer = block({ ...price, landmark: 'footer' });
    const fields = [{ name: 'title', from: 'Old', to: 'New', volatile: false }];
    expect(editsOf({ blocks: [footer, price], fields }, 1)).toEqual({ shown: [{ old: '€65', now: '€49' }], more: 1 });
    expect(editsOf({ blocks: [footer], fields: [] }, 1).shown).toHaveLength(1);
  });

  it('are shortened to a line', () => {
    const { shown } = editsOf({ blocks: [block({ op: 'added', after: 'word '.repeat(200) })], fields: [] }, 1);
    expect(shown[0]?.now?.length).toBeLessThanOrEqual(120);
  });
});
