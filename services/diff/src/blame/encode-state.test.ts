import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlockHistory } from './blame-state.ts';
import { decodeState, encodeState } from './encode-state.ts';

const number = fc.nat(2_000);
const history: fc.Arbitrary<BlockHistory> = fc
  .record({
    origin: number,
    lastEdit: number,
    edits: number,
    moves: number,
    isApproximate: fc.boolean(),
    words: fc.array(fc.nat(3)),
    returned: fc.option(fc.record({ leftAt: number, at: number }), { nil: undefined }),
  })
  .map(({ returned, ...block }) => (returned === undefined ? block : { ...block, returned }));
const key = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1'));

describe('the stored form of a state', () => {
  it('is decoded to the state that was encoded', () => {
    const state = fc.record({
      version: number,
      blocks: fc.array(history),
      left: fc.array(fc.record({ key, leftAt: number, history })),
    });
    fc.assert(fc.property(state, (made) => expect(decodeState(encodeState(made))).toEqual(made)));
  });
});
