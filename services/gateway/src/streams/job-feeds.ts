import { actorLimitOf, type Caller, projectLimitOf } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { JobFeed, type JobSource } from './job-feed.ts';

/** Identifies a feed. Callers that reach different jobs do not share one; a job can move into a project. */
const feedKey = (jobId: string, caller: Caller): string =>
  [
    caller.workspaceId,
    jobId,
    caller.access.kind,
    actorLimitOf(caller) ?? '',
    ...(projectLimitOf(caller.access) ?? []).toSorted(),
  ].join('/');

/** The feeds of all jobs that have open streams in this process; their number is bounded by the number of streams. */
export class JobFeeds<Job, Row> {
  readonly #feeds = new Map<string, JobFeed<Job, Row>>();

  get size(): number {
    return this.#feeds.size;
  }

  /** Adds a stream to the feed of a job. `release` removes it; the feed stops with its last stream. */
  open(
    { jobId, caller, after }: { readonly jobId: string; readonly caller: Caller | undefined; readonly after: number },
    source: JobSource<Job, Row>,
  ) {
    if (caller === undefined) throw new AppError('internal', 'a stream was opened without a caller');
    const key = feedKey(jobId, caller);
    const known = this.#feeds.get(key);
    const feed = known === undefined || known.failure !== undefined ? new JobFeed(source) : known;
    this.#feeds.set(key, feed);
    const stream = Symbol(jobId);
    feed.setPosition(stream, after);
    return {
      feed,
      advance: (position: number) => feed.setPosition(stream, position),
      release: () => {
        feed.removeStream(stream);
        if (feed.streams > 0) return;
        feed.stop();
        if (this.#feeds.get(key) === feed) this.#feeds.delete(key);
      },
    };
  }
}
