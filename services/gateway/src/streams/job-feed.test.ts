import { describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import { callerIn, takes, until } from '@tidemark/testkit';
import type { JobSource } from './job-feed.ts';
import { JobFeeds } from './job-feeds.ts';
import { streamJob } from './stream-job.ts';

const call = callerIn('ws', { keyId: 'key', scope: 'read' });

/** A job in memory: its completed pages are the numbers 1 to `done`. */
class FakeJob implements JobSource<FakeJob, number> {
  done = 0;
  status = 'running';
  findCalls = 0;
  rowCalls = 0;
  failure: AppError | undefined;

  async find() {
    this.findCalls += 1;
    if (this.failure !== undefined) throw this.failure;
    return this;
  }
  async rows(_: FakeJob, after: number, limit: number) {
    this.rowCalls += 1;
    const numbers = Array.from({ length: Math.min(limit, Math.max(0, this.done - after)) }, (_, at) => after + at + 1);
    const last = numbers.at(-1) ?? after;
    return { rows: numbers.map((number) => ({ number, row: number })), last, isMore: last < this.done };
  }
  stateOf = () => ({ status: this.status, done: this.done });
  doneOf = () => this.done;
  endOf = () => (this.status === 'running' ? undefined : { error: null });
}

interface Reading {
  /** Numbers of the pages received. */
  readonly pages: string[];
  readonly events: string[];
  readonly ended: Promise<void>;
}

function read(feeds: JobFeeds<FakeJob, number>, source: FakeJob, lastEventId = '', pauseMs = 0): Reading {
  // The row of this fake is its number.
  const render = (row: number) => ({ id: String(row) }) as PageRow;
  const pages: string[] = [];
  const events: string[] = [];
  const all = async () => {
    const stream = { jobId: 'job', call, lastEventId, source, render };
    for await (const { event, id } of streamJob(feeds, stream, AbortSignal.timeout(30_000))) {
      events.push(event);
      if (event === 'page') pages.push(id ?? '');
      if (pauseMs > 0) await takes(pauseMs);
    }
  };
  return { pages, events, ended: all() };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

describe('streamJob', () => {
  it('sends every page once and in order to each of many streams, and reads each page once for all of them', async () => {
    const [feeds, job] = [new JobFeeds<FakeJob, number>(), new FakeJob()];
    const readings = Array.from({ length: 30 }, () => read(feeds, job));
    await until('the first poll', () => job.findCalls > 0);
    for (const done of [1, 30, 90]) {
      job.done = done;
      await until('the pages on every stream', () => readings.every(({ pages }) => pages.length === done));
    }
    job.status = 'done';
    await Promise.all(readings.map(({ ended }) => ended));
    for (const { pages, events } of readings) {
      expect(pages).toEqual(numbers(1, 90));
      expect(events.at(-1)).toBe('done');
    }
    expect(job.rowCalls).toBeLessThan(10);
    expect(feeds.size).toBe(0);
  });

  it('sends the missing pages to a stream that resumes, joins late or reads slowly', async () => {
    const [feeds, job] = [new JobFeeds<FakeJob, number>(), new FakeJob()];
    job.done = 250;
    const whole = read(feeds, job);
    const slow = read(feeds, job, '', 1);
    const resumed = read(feeds, job, '240');
    const beyond = read(feeds, job, '999999999');
    await until('the first pages', () => whole.pages.length === 250);
    job.done = 700;
    const late = read(feeds, job, '100');
    await until('the other pages', () => late.pages.length === 600);
    job.status = 'done';
    await Promise.all([whole, slow, resumed, beyond, late].map(({ ended }) => ended));
    expect(whole.pages).toEqual(numbers(1, 700));
    expect(slow.pages).toEqual(numbers(1, 700));
    expect(resumed.pages).toEqual(numbers(241, 700));
    expect(late.pages).toEqual(numbers(101, 700));
    expect(beyond.pages).toEqual([]);
  });

  it('continues after a failure of a service that is temporary, and fails if the job does not exist any more', async () => {
    const [feeds, job] = [new JobFeeds<FakeJob, number>(), new FakeJob()];
    job.failure = new AppError('unavailable', 'crawl is unavailable');
    const reading = read(feeds, job);
    await until('a failed poll', () => job.findCalls > 0);
    job.done = 3;
    job.failure = undefined;
    await until('the pages', () => reading.pages.length === 3);
    job.failure = new AppError('not_found', 'crawl not found');
    await expect(reading.ended).rejects.toMatchObject({ code: 'not_found' });
    expect(feeds.size).toBe(0);
  });

  it('does not share a feed between keys with different project limits', async () => {
    const [feeds, job] = [new JobFeeds<FakeJob, number>(), new FakeJob()];
    const limits = [undefined, [], ['prj_a'], ['prj_b', 'prj_a'], ['prj_a', 'prj_b']];
    const callers = limits.map((projects) => callerIn('ws', { projects }).caller);
    const open = callers.map((caller) => feeds.open({ jobId: 'job', caller, after: 0 }, job));
    expect(feeds.size).toBe(4);
    for (const { release } of open) release();
    expect(feeds.size).toBe(0);
  });
});
