import { describe, expect, it } from '@jest/globals';
import { ChangeLog } from './change-log.ts';

const A = 'http://site/readings/1';
const B = 'http://site/readings/2';

describe('ChangeLog', () => {
  it('measures the time from a change to its webhook', () => {
    const log = new ChangeLog(120);
    log.shown(A, 1_000);
    log.arrived(A, 8_500);
    expect(log.measured(9_000)).toEqual({ arrived: 1, late: 0, latencySeconds: 7.5, waitingSeconds: 0 });
  });

  it('reports the age of the oldest change without a webhook', () => {
    const log = new ChangeLog(120);
    log.shown(A, 0);
    log.shown(B, 60_000);
    log.arrived(B, 70_000);
    expect(log.measured(130_000).waitingSeconds).toBe(130);
  });

  it('counts a webhook after the limit as late, and then no longer waits for it', () => {
    const log = new ChangeLog(120);
    log.shown(A, 0);
    log.arrived(A, 121_000);
    expect(log.measured(200_000)).toMatchObject({ arrived: 0, late: 1, waitingSeconds: 0 });
  });

  it('ignores a webhook about a page that did not change, and a repeated one', () => {
    const log = new ChangeLog(120);
    log.shown(A, 0);
    log.arrived(B, 1_000);
    log.arrived(A, 2_000);
    log.arrived(A, 3_000);
    expect(log.measured(3_000)).toMatchObject({ arrived: 1, late: 0 });
  });
});
