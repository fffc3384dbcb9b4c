import { describe, expect, it } from '@jest/globals';
import { pageRow, runPage } from '@tidemark/testkit';
import { listedColumns } from './listed-columns.ts';

const titled = (title: string) => listedColumns(runPage({ number: 1 }), pageRow({ title })).title;

describe('the text of a listed page', () => {
  it('is whole characters, wherever it is cut and whatever the page says', () => {
    const cut = titled(`a${'😀'.repeat(1_200)}`);
    expect([cut?.length, cut?.isWellFormed()]).toEqual([2_000, true]);
    expect(titled('half \ud83d of one, \0and none')).toBe('half \ufffd of one, and none');
  });
});

it('a listed page has the hash of its text, or null if it was not cut into blocks', () => {
  const hashOf = (textHash?: Buffer) =>
    listedColumns(runPage({}), pageRow({ ...(textHash && { textHash }) })).text_hash;
  expect(hashOf(Buffer.from([1, 171]))).toBe('\\x01ab');
  expect(hashOf()).toBeNull();
});
