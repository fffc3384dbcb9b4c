import { expect, it } from '@jest/globals';
import { Record as WireRecord } from '@tidemark/contracts/diff/v1/diff';
import { toRecord } from './change-response.ts';

const DIGEST = { summary: 'The berth fee rose.', points: ['From 12 to 14 euros.'], significant: true };

it('toRecord includes the digest of a record, or null without one', () => {
  const record = { ...WireRecord.fromPartial({ runId: 'run_1', status: 'made' }) };
  expect(toRecord({ ...record, digestJson: JSON.stringify(DIGEST) }).digest).toEqual(DIGEST);
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
