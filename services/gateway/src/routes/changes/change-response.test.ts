import { expect, it } from '@jest/globals';
import { Entry, Record as WireRecord } from '@tidemark/contracts/diff/v1/diff';
import { toChange, toRecord } from './change-response.ts';

const DIGEST = { summary: 'The berth fee rose.', points: ['From 12 to 14 euros.'], significant: true };

it('toRecord includes the digest of a record, or null without one', () => {
  const record = { ...WireRecord.fromPartial({ runId: 'run_1', status: 'made' }) };
  expect(toRecord({ ...record, digest: DIGEST }).digest).toEqual(DIGEST);
  expect(toRecord(record).digest).toBeNull();
  expect(toRecord(undefined)).toMatchObject({ runId: null, status: null, digest: null });
});

it('toRecord returns no counts until the record is made, as zeros would mean that nothing changed', () => {
  const record = WireRecord.fromPartial({ runId: 'run_1', status: 'making' });
  expect(toRecord(record).counts).toBeNull();
  expect(toRecord({ ...record, status: 'failed' }).counts).toBeNull();
  expect(toRecord({ ...record, status: 'made', counts: { modified: 2 } }).counts).toMatchObject({
    modified: 2,
    same: 0,
  });
});

it.each([
  ['first_reading', /refused in all earlier runs and was read now for the first time/],
  ['language_changed', /served in another language/],
])('toChange explains the reason %s in a sentence', (reason, sentence) => {
  const entry = Entry.fromPartial({ kind: 'unverified', reason, firstSeenAt: new Date(0) });
  expect(toChange(entry)).toMatchObject({ reason, explanation: expect.stringMatching(sentence) });
  expect(toChange({ ...entry, kind: 'added', reason: '' }).explanation).toBeNull();
});
