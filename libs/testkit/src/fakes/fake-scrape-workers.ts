import { controls, events, work } from '@tidemark/contracts';
import type { PagesCalledOff, PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import type { PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { Bus, Coalescer, createLogger, type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { takes } from '../takes.ts';
import { watchControls } from './fake-page-controls.ts';

const RESEND_EVERY_MS = 1_000;
const EVENTS_PER_MESSAGE = 100;
const GATHER_MS = 20;

/** A page of a fake site. Omitted properties are those of an ordinary page. */
export interface FakePage {
  readonly links?: readonly string[];
  /** 0: no response. */
  readonly status?: number;
  /** The URL it redirects to. */
  readonly landsAt?: string;
  readonly through?: readonly string[];
  readonly canonical?: string;
  readonly nofollow?: boolean;
  readonly unchanged?: boolean;
  /** ok, or robots, cached, blocked. */
  readonly verdict?: Verdict;
  /** Keys of the blocks of its main content. */
  readonly blockKeys?: readonly number[];
}

/** Workers of scrape that fetch a crawl's pages from a fake site. Each result is published until the crawl confirms it. */
export interface FakeScrapeWorkers {
  /** How often each URL was fetched. */
  readonly fetched: ReadonlyMap<string, number>;
  /** URLs in the order in which they were fetched. */
  readonly order: readonly string[];
  readonly offered: readonly PageWork[];
  readonly busiest: number;
  /** Results that the crawl has not confirmed. */
  readonly unconfirmed: number;
  /** While true, nothing is fetched. */
  isHeld: boolean;
  /** Returns whether the fetch of a URL does not end yet. */
  isStalled: (url: string) => boolean;
  /** Returns whether a work message is received and then lost. */
  loses: (piece: PageWork) => boolean;
  /** How often each result is published. */
  timesSent: number;
  /** Messages of crawl that pages are called off, in their order. */
  readonly calledOff: readonly PagesCalledOff[];
  /** Reports pages as held by a worker. */
  report(pages: PagesInProgress): void;
  close(): Promise<void>;
}

export interface FakeScrapeOptions {
  readonly natsUrl: string;
  readonly site: (url: string) => FakePage | undefined;
  /** Pages fetched at once. */
  readonly concurrency?: number;
  /** Work messages processed at once. */
  readonly pieces?: number;
  readonly delayMs?: number;
}

export async function startFakeScrapeWorkers(options: FakeScrapeOptions): Promise<FakeScrapeWorkers> {
  const { natsUrl, site, concurrency = 16, pieces = concurrency, delayMs = 0 } = options;
  const bus = await Bus.connect(natsUrl, 'scrape', createLogger('fake-scrape', 'silent'));
  const fetched = new Map<string, number>();
  const order: string[] = [];
  const offered: PageWork[] = [];
  const sent = new Map<string, OutgoingEvent>();
  const slots = new Slots(concurrency);
  const switches = { isHeld: false, isStalled: (_: string) => false, loses: (_: PageWork) => false, timesSent: 1 };
  const publisher = new Publisher(bus);
  const send = (message: OutgoingEvent): void => {
    for (let time = 0; time < switches.timesSent; time += 1) publisher.send(message);
  };
  const { calledOff, isOpen, holding, isWithdrawn } = watchControls(bus);
  const capture = async (piece: PageWork, { captureId, url }: PageOrder): Promise<void> => {
    const before = sent.get(captureId);
    if (before !== undefined) return send(before);
    if (isWithdrawn(piece, captureId)) return;
    const release = holding(piece, captureId);
    await slots.take();
    try {
      await waitWhile(() => switches.isHeld);
      if (!isOpen(piece.runId, captureId) || isWithdrawn(piece, captureId)) return;
      release.start();
      order.push(url);
      fetched.set(url, (fetched.get(url) ?? 0) + 1);
      if (delayMs > 0) await takes(delayMs);
      await waitWhile(() => switches.isStalled(url));
      const about = { runId: piece.runId, workspaceId: piece.workspaceId, captureId, url };
      const event = eventOf(about, site(url) ?? { status: 404, verdict: 'blocked' });
      const message = outgoingEvent(events.runPageEnded, `run-page:${captureId}`, event);
      sent.set(captureId, message);
      send(message);
    } finally {
      release.end();
      slots.giveBack();
    }
  };
  await bus.prepare();
  bus.work(work.page, pieces, async (piece) => {
    offered.push(piece);
    if (switches.loses(piece)) return;
    await Promise.all(piece.pages.map((page) => capture(piece, page)));
  });
  return Object.assign(switches, {
    fetched,
    order,
    offered,
    calledOff,
    report: (pages: PagesInProgress) => bus.control.send(controls.pagesInProgress, pages),
    get busiest() {
      return slots.busiest;
    },
    get unconfirmed() {
      return publisher.unconfirmed;
    },
    async close() {
      publisher.close();
      Object.assign(switches, { isHeld: false, isStalled: () => false });
      await bus.close();
    },
  });
}

async function waitWhile(holds: () => boolean): Promise<void> {
  while (holds()) await takes(20);
}

/** Publishes messages until they are confirmed, as an outbox does. */
class Publisher {
  readonly #pending = new Map<string, OutgoingEvent>();
  readonly #publish: Coalescer<OutgoingEvent, undefined>;
  readonly #resending: NodeJS.Timeout;

  constructor(bus: Bus) {
    this.#publish = new Coalescer<OutgoingEvent, undefined>(
      async (messages) => {
        await bus.publish(events.runPageEnded.subject, messages);
        return messages.map(() => undefined);
      },
      { maxBatch: EVENTS_PER_MESSAGE, everyMs: GATHER_MS, maxWriters: 4 },
    );
    bus.onConfirm('scrape', (_, ids) => {
      for (const id of ids) this.#pending.delete(id);
    });
    this.#resending = setInterval(() => {
      for (const message of this.#pending.values()) this.#publish.add(message).catch(() => undefined);
    }, RESEND_EVERY_MS);
  }

  get unconfirmed(): number {
    return this.#pending.size;
  }

  send(message: OutgoingEvent): void {
    this.#pending.set(message.id, message);
    this.#publish.add(message).catch(() => undefined);
  }

  close(): void {
    clearInterval(this.#resending);
  }
}

/** Error codes of pages by HTTP status; 0: no response. */
const ERROR_CODES: ReadonlyMap<number, RunPageEnded['errorCode']> = new Map([
  [0, 'NETWORK'],
  [404, 'NOT_FOUND'],
]);

function eventOf(
  about: Pick<RunPageEnded, 'runId' | 'workspaceId' | 'captureId' | 'url'>,
  page: FakePage,
): RunPageEnded {
  const { status = 200, verdict = status >= 400 || status === 0 ? 'blocked' : 'ok' } = page;
  const isFree = status === 0 || verdict === 'robots' || verdict === 'cached';
  return RunPageEnded.fromPartial({
    ...about,
    url: page.landsAt ?? about.url,
    verdict,
    errorCode: ERROR_CODES.get(status) ?? 'OK',
    httpStatus: verdict === 'robots' ? 0 : status,
    credits: isFree ? 0 : 1,
    canonical: page.canonical ?? '',
    nofollow: page.nofollow ?? false,
    links: [...(page.links ?? [])],
    unchanged: page.unchanged ?? false,
    blockKeys: Buffer.from(Uint32Array.from(page.blockKeys ?? []).buffer),
    redirects: page.landsAt === undefined ? [] : [about.url, ...(page.through ?? [])],
  });
}

/** So many at once, the others in line. */
class Slots {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  busiest = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async take(): Promise<void> {
    if (this.#busy >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    this.busiest = Math.max(this.busiest, this.#busy);
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy -= 1;
    else next();
  }
}
