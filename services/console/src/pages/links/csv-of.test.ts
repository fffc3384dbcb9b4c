import { describe, expect, it } from '@jest/globals';
import { csvOf } from './csv-of.ts';

describe('the CSV of link findings', () => {
  it('quotes separators, doubles quotes, and keeps a spreadsheet from running a cell', () => {
    expect(
      csvOf(
        ['url', 'status'],
        [
          ['https://a.test/?a,b="c"', 404],
          ['=1+1', null],
        ],
      ),
    ).toBe('url,status\r\n"https://a.test/?a,b=""c""",404\r\n\'=1+1,\r\n');
  });
});
