import { AppError } from '@tidemark/errors';

/** A completed page of a job. Pages are numbered in the order of completion. */
export interface NumberedRow<Row> {
  readonly number: number;
  readonly row: Row;
}

export interface FeedRows<Row> {
  readonly rows: readonly NumberedRow<Row>[];
  /** Number of the last row; the requested start if there is none. */
  readonly last: number;
  /** Whether there are, or will be, more rows. */
  readonly isMore: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads one job. */
export interface JobSource<Job, Row> {
  find(): Promise<Job>;
  /** Returns completed pages after the page with the number `after`. */
  rows(job: Job, after: number, limit: number): Promise<FeedRows<Row>>;
  /** Returns the fields of a progress event. */
  stateOf(job: Job): Fields;
  /** Returns the number of completed pages. */
  doneOf(job: Job): number;
  /** Returns the fields of the final event; undefined while the job runs. */
  endOf(job: Job): Fields | undefined;
}

/** Poll interval while a job changes, and the longest one while it does not, ms. */
const POLL_MS = { busy: 500, idle: 2_000 };
const IDLE_FACTOR = 1.5;
const ROWS_PER_POLL = 100;
/** Maximum number of rows kept for streams that have not sent them yet; a slower stream reads its rows itself. */
const MAX_KEPT_ROWS = 200;
/** Consecutive failed polls after which the feed fails; about 20 s. */
const MAX_FAILURES = 10;
/** Failures that a later poll cannot resolve. */
const FINAL_CODES: readonly string[] = ['not_found', 'forbidden', 'unauthorized', 'internal'];

/**
 * Polls one job for all of its event streams. While nothing changes, a poll is one call and the interval grows, so the cost of an idle
 * job depends neither on the number of its streams nor on its size.
 */
export class JobFeed<Job, Row> {
  readonly #source: JobSource<Job, Row>;
  /** Position of each stream: the number of the last row it has sent. */
  readonly #positions = new Map<symbol, number>();
  #job: Job | undefined;
  #rows: readonly NumberedRow<Row>[] = [];
  /** `#rows` are all rows after `#floor`, up to `#tail`. */
  #floor = 0;
  #tail = 0;
  #state: { readonly fields: Fields; readonly text: string } | undefined;
  #end: Fields | undefined;
  #failure: AppError | undefined;
  #failures = 0;
  #delayMs = POLL_MS.busy;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #change = Promise.withResolvers<void>();

  constructor(source: JobSource<Job, Row>) {
    this.#source = source;
    void this.#poll();
  }

  get state() {
    return this.#state;
  }

  /** Fields of the final event, set when the job has ended and all rows are known. */
  get end(): Fields | undefined {
    return this.#end;
  }

  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** Resolves at the next change after this call. */
  get change(): Promise<void> {
    return this.#change.promise;
  }

  get streams(): number {
    return this.#positions.size;
  }

  /** Sets how far a stream has sent the rows; rows that every stream has sent are released. */
  setPosition(stream: symbol, after: number): void {
    this.#positions.set(stream, after);
    this.#release();
  }

  removeStream(stream: symbol): void {
    this.#positions.delete(stream);
    this.#release();
  }

  /**
   * Returns rows after a position: kept ones, or for a stream that is behind them some from the source. `isMore`: rows are missing that
   * the source does not return yet.
   */
  async rowsAfter(after: number): Promise<{ readonly rows: readonly NumberedRow<Row>[]; readonly isMore: boolean }> {
    if (this.#job === undefined || after >= this.#tail) return { rows: [], isMore: false };
    if (after >= this.#floor) return { rows: this.#rows.filter(({ number }) => number > after), isMore: false };
    return this.#source.rows(this.#job, after, ROWS_PER_POLL);
  }

  /** Stops polling. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    try {
      const hasChanged = await this.#read();
      this.#failures = 0;
      this.#delayMs = hasChanged ? POLL_MS.busy : Math.min(this.#delayMs * IDLE_FACTOR, POLL_MS.idle);
    } catch (error) {
      this.#failures += 1;
      const failure = error instanceof AppError ? error : new AppError('internal', 'the job could not be read');
      this.#delayMs = POLL_MS.idle;
      if (FINAL_CODES.includes(failure.code) || this.#failures >= MAX_FAILURES) this.#failure = failure;
    }
    if (this.#failure !== undefined) this.#notify();
    if (this.#isStopped || this.#failure !== undefined || this.#end !== undefined) return;
    this.#timer = setTimeout(() => void this.#poll(), this.#delayMs);
  }

  /** Reads the state and new rows. @returns whether anything has changed */
  async #read(): Promise<boolean> {
    const job = await this.#source.find();
    // Earlier rows are read by each stream, at the speed of its client. The number of the last row is at least the number of rows.
    if (this.#job === undefined) this.#floor = this.#tail = this.#source.doneOf(job);
    const fields = this.#source.stateOf(job);
    const text = JSON.stringify(fields);
    const end = this.#source.endOf(job);
    const isSame = this.#job !== undefined && text === this.#state?.text;
    if (isSame && end === undefined && this.#tail >= this.#source.doneOf(job)) return false;
    const { isMore, rows } = await this.#readRows(job);
    this.#job = job;
    this.#state = { fields, text };
    if (end !== undefined && !isMore) this.#end = { ...fields, ...end };
    if (isSame && rows === 0 && this.#end === undefined) return false;
    this.#notify();
    return true;
  }

  async #readRows(job: Job): Promise<{ readonly isMore: boolean; readonly rows: number }> {
    let total = 0;
    while (true) {
      const { rows, last, isMore } = await this.#source.rows(job, this.#tail, ROWS_PER_POLL);
      total += rows.length;
      this.#rows = [...this.#rows, ...rows];
      this.#tail = Math.max(this.#tail, last);
      this.#release();
      if (rows.length < ROWS_PER_POLL || this.#isStopped) return { isMore, rows: total };
      this.#notify();
    }
  }

  #release(): void {
    const sent = Math.min(this.#tail, ...this.#positions.values());
    const surplus = this.#rows.length - MAX_KEPT_ROWS;
    const dropped = surplus > 0 ? (this.#rows[surplus - 1]?.number ?? 0) : 0;
    const floor = Math.max(this.#floor, sent, dropped);
    if (floor === this.#floor) return;
    this.#floor = floor;
    this.#rows = this.#rows.filter(({ number }) => number > floor);
  }

  #notify(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }
}
