import { describe, expect, it } from '@jest/globals';
import { readComparedMessage } from './compared-message.ts';

const ready = { from: 'tidemark-compared', kind: 'ready', source: 'html', changes: 3, shown: 2 };

describe('a message of a compared page', () => {
  it('is read if the script of the frame sent it', () => {
    expect(readComparedMessage(ready)).toEqual({ kind: 'ready', source: 'html', changes: 3, shown: 2 });
    expect(readComparedMessage({ from: 'tidemark-compared', kind: 'missing', reason: 'x'.repeat(900) })).toEqual({
      kind: 'missing',
      reason: 'x'.repeat(500),
    });
  });

  it('is ignored in any other form, and never states more shown changes than there are', () => {
    for (const other of [
      null,
      'ready',
      {},
      { ...ready, from: 'page' },
      { ...ready, source: 'svg' },
      { ...ready, changes: -1 },
    ])
      expect(readComparedMessage(other)).toBeUndefined();
    expect(readComparedMessage({ ...ready, shown: 9 })).toMatchObject({ shown: 3 });
  });
});
