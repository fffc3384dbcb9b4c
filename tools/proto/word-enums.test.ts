import { describe, expect, it } from '@jest/globals';
import { QueueDepth } from '@tidemark/contracts/activity/v1/activity';
import { StopReason } from '@tidemark/contracts/job/v1/job';
import { Landmark } from '@tidemark/contracts/page/v1/blocks';
import { ErrorCode } from '@tidemark/contracts/page/v1/page';
import { Availability } from '@tidemark/contracts/page/v1/product';
import { withWords } from './word-enums.ts';

/** The messages of one queue: field 1 is its enum `queue`, field 2 its enum `priority`, field 3 a number. */
const depthOf = (bytes: readonly number[]): QueueDepth => QueueDepth.decode(Uint8Array.from(bytes));

describe('the enums of messages', () => {
  it('are the words of the specification in code', () => {
    expect(Object.values(StopReason).slice(0, 2)).toEqual(['finished', 'page_limit']);
    expect(ErrorCode.ERROR_CODE_NOT_FOUND).toBe('NOT_FOUND');
    expect(Availability.AVAILABILITY_IN_STOCK).toBe('InStock');
  });

  it('are numbers in code where they are parts of keys', () => {
    expect(Landmark.LANDMARK_MAIN).toBe(1);
  });

  it('are numbers on the wire', () => {
    const depth = { queue: 'maps', priority: 'batch', queued: 3, running: 0 } as const;
    const bytes = QueueDepth.encode(depth).finish();
    expect([...bytes]).toEqual([8, 2, 16, 2, 24, 3]);
    expect(QueueDepth.decode(bytes)).toEqual(depth);
  });

  it('are words in JSON', () => {
    const depth = { queue: 'maps', priority: 'batch', queued: 3, running: 0 } as const;
    expect(QueueDepth.toJSON(depth)).toEqual({ queue: 'maps', priority: 'batch', queued: 3 });
    expect(QueueDepth.fromJSON({ queue: 'maps', priority: 'batch', queued: 3 })).toEqual(depth);
    expect(() => QueueDepth.fromJSON({ queue: 'pools', priority: 'batch' })).toThrow('WorkQueue has no value pools');
  });

  it('refuse a number without a word when a message is decoded', () => {
    expect(() => depthOf([8, 9, 16, 2])).toThrow('WorkQueue has no value 9');
  });

  it('refuse a message without a value when it is decoded, absent or unspecified', () => {
    expect(() => depthOf([16, 2])).toThrow('a message has no QueueDepth.queue');
    expect(() => depthOf([8, 0, 16, 2])).toThrow('WorkQueue has no value 0');
  });

  it('are refused under a name without the prefix of their enum', () => {
    const source = withEnum('StopReason', 'OTHER');
    expect(() => withWords(source)).toThrow('OTHER of the enum StopReason does not start with STOP_REASON_');
  });
});

const withEnum = (name: string, key: string): string => `
export const ${name} = {
  ${key}: "${key}",
} as const;

export type ${name} = typeof ${name}[keyof typeof ${name}];

export namespace ${name} {
}

export function readFromJSON() {
}

export function readToJSON() {
}

export function readToNumber() {
}`;
