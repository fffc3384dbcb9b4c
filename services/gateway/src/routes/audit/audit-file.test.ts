import { describe, expect, it } from '@jest/globals';
import { csvLine } from './audit-file.ts';

const entry = {
  id: 'aud_1',
  at: '2026-11-21T09:30:00.000Z',
  action: 'key.created',
  keyId: 'key_1',
  memberId: null,

  actor: 'Ann',
  subjectId: 'key_2',
  detail: {},
  ip: null,
  userAgent: null,
};

describe('csvLine', () => {
  it('quotes cells with separators, quotes and line breaks (RFC 4180)', () => {
    expect(csvLine({ ...entry, actor: 'Ann "A", B\nC' })).toBe(
      'aud_1,2026-11-21T09:30:00.000Z,key.created,key_1,,"Ann ""A"", B\nC",key_2,{},,\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('prefixes the formula %j with an apostrophe', (actor) => {
    expect(csvLine({ ...entry, actor })).toContain(`,'${actor},`);
  });
});
