import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { CallRefused } from './call-guard.ts';
import { makeRefusalLog } from './refusal-log.ts';

describe('the log of refused calls', () => {
  it('has at most one line a second, with the caller, the reason and the number of omitted refusals', () => {
    const lines: unknown[] = [];
    const log = Object.assign(createLogger('test', 'silent'), { warn: (fields: unknown) => void lines.push(fields) });
    let nowMs = 0;
    const logRefusal = makeRefusalLog(log, () => nowMs);
    const refusal = new CallRefused('forbidden', 'scrape may not call it', 'scrape');
    for (; nowMs < 2_000; nowMs += 10) logRefusal('/a.B/C', refusal, '127.0.0.1:9');
    const line = { rpc: '/a.B/C', caller: 'scrape', peer: '127.0.0.1:9', reason: 'scrape may not call it' };
    expect(lines).toEqual([
      { ...line, suppressed: 0 },
      { ...line, suppressed: 99 },
    ]);
  });
});
