import { expect, it } from '@jest/globals';
import { Record as WireRecord } from '@tidemark/contracts/diff/v1/diff';
import { toRecord } from './change-answer.ts';

const DIGEST = { summary: 'The berth fee rose.', points: ['From 12 to 14 euros.'], significant: true };

it('a record shows what a model made of it, and null where none did', () => {
  const record = { ...WireRecord.fromPartial({ runId: 'run_1', status: 'made' }) };
  expect(toRecord({ ...record, digestJson: JSON.stringify(DIGEST) }).digest).toEqual(DIGEST);
  expect(toRecord(record).digest).toBeNull();
  expect(toRecord(undefined)).toMatchObject({ runId: null, status: null, digest: null });
});
