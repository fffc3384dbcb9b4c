import { describe, expect, it } from '@jest/globals';
import { changesOf, draftOf } from './scope-draft.ts';

describe('the scope that a person edits', () => {
  it('is sent as the lists that differ from the saved ones; an emptied list returns to its default', () => {
    const saved = draftOf({ include_paths: ['/blog/**'], exclude_paths: ['/private/**'], max_pages: 5 });
    expect(changesOf(saved, saved)).toEqual({});
    expect(changesOf(saved, { ...saved, include_paths: ' /blog/** \n\n', exclude_paths: ' ', feeds: 'a\nb' })).toEqual({
      exclude_paths: null,
      feeds: ['a', 'b'],
    });
  });
});
