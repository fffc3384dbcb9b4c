import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { RunDiscarded } from './gen/tidemark/archive/v1/events.ts';
import { CreditSpent } from './gen/tidemark/billing/v1/events.ts';
import { PagesCalledOff, PagesInProgress, PagesRequested } from './gen/tidemark/crawl/v1/control.ts';
import { RunFinished, RunPagesRecorded, RunWatched } from './gen/tidemark/crawl/v1/events.ts';
import { ChangeReady } from './gen/tidemark/diff/v1/events.ts';
import { MapEnded } from './gen/tidemark/map/v1/events.ts';
import { ProjectDeleted, SiteHealthChanged } from './gen/tidemark/projects/v1/events.ts';
import { BatchEnded, LoginDeleted, PageCaptured, RunPageEnded } from './gen/tidemark/scrape/v1/events.ts';
import { BatchHost, PageWork } from './gen/tidemark/scrape/v1/work.ts';

/** How a message is written to and read from its bytes; what ts-proto generates for every message has this shape. */
export interface Codec<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}

/** A fact told on the bus: past tense, published by its owner alone, confirmed by each of its consumers once they have stored it. */
export interface Fact<T> {
  readonly subject: string;
  readonly owner: string;
  readonly consumers: readonly string[];
  readonly codec: Codec<T>;
  /** Milliseconds between two batches of a busy consumer: what one statement stores together costs a fraction of one each. */
  readonly gatherMs: number;
}

function fact<T>(
  subject: string,
  codec: Codec<T>,
  owner: string,
  consumers: readonly string[],
  gatherMs: number,
): Fact<T> {
  return { subject, codec, owner, consumers, gatherMs };
}

/** The whole asynchronous system on one screen. */
export const facts = {
  pageCaptured: fact('event.page.captured', PageCaptured, 'scrape', ['archive'], 50),
  creditSpent: fact('event.credit.spent', CreditSpent, 'scrape', ['billing'], 50),
  runCharged: fact('event.run.charged', CreditSpent, 'crawl', ['billing'], 100),
  mapCharged: fact('event.map.charged', CreditSpent, 'map', ['billing'], 50),
  runDiscarded: fact('event.run.discarded', RunDiscarded, 'crawl', ['archive', 'diff'], 50),
  runPagesRecorded: fact('event.run.pages', RunPagesRecorded, 'crawl', ['archive'], 50),
  runFinished: fact(
    'event.run.finished',
    RunFinished,
    'crawl',
    ['projects', 'scrape', 'archive', 'diff', 'delivery'],
    50,
  ),
  projectDeleted: fact('event.project.deleted', ProjectDeleted, 'projects', ['crawl', 'diff', 'delivery'], 50),
  loginDeleted: fact('event.login.deleted', LoginDeleted, 'scrape', ['crawl'], 50),
  changeReady: fact('event.change.ready', ChangeReady, 'diff', ['delivery'], 50),
  siteHealthChanged: fact('event.site.health', SiteHealthChanged, 'projects', ['delivery'], 50),
  runWatched: fact('event.run.watched', RunWatched, 'crawl', ['delivery'], 50),
  batchEnded: fact('event.batch.ended', BatchEnded, 'scrape', ['delivery'], 50),
  mapEnded: fact('event.map.ended', MapEnded, 'map', ['delivery'], 50),
  runPageEnded: fact('event.run.page', RunPageEnded, 'scrape', ['crawl'], 100),
} as const;

/** Work that waits for whoever has a hand free. */
export interface Work<T> {
  readonly subject: string;
  readonly codec: Codec<T>;
  /** The last token of the subject a piece is published to, so that all pieces of one key can be dropped together. Absent: one subject for all. */
  readonly keyOf?: (piece: T) => string;
  /** Seconds after which a piece nobody has been heard of again is given to another. */
  readonly ackWaitSeconds: number;
}

/** Every kind of work that may wait. Rows are the truth of what is to be done; these messages only spread it. */
const batchHost: Work<BatchHost> = { subject: 'work.batch', codec: BatchHost, ackWaitSeconds: 15 };
const page: Work<PageWork> = {
  subject: 'work.page',
  codec: PageWork,
  keyOf: ({ runId }) => runId,
  ackWaitSeconds: 6,
};

export const work = { batchHost, page } as const;

/** A control message on core NATS: delivered at most once, to the instances connected at that moment. */
export interface Control<T> {
  readonly subject: string;
  readonly codec: Codec<T>;
}

/** Every control message. None carries state that is not stored or repeated elsewhere. */
export const controls = {
  /** scrape to one instance of crawl. */
  pagesInProgress: { subject: 'control.pages.in-progress', codec: PagesInProgress },
  /** crawl to every instance of scrape. */
  pagesCalledOff: { subject: 'control.pages.called-off', codec: PagesCalledOff },
  /** crawl to every instance of scrape, which responds with pagesInProgress. */
  pagesRequested: { subject: 'control.pages.requested', codec: PagesRequested },
} as const;

/** JetStream stream of work: a piece is gone when it is done. */
export const WORK_STREAM = {
  name: 'WORK',
  subjects: ['work.>'],
  maxAgeHours: 24,
  maxBytes: 256 * 1024 * 1024,
} as const;

/** JetStream stream that holds every fact, and how long at most: the outbox of its owner keeps a fact until it is confirmed. */
export const FACT_STREAM = {
  name: 'FACTS',
  subjects: ['event.>'],
  maxAgeHours: 24,
  maxBytes: 1024 * 1024 * 1024,
} as const;
/** Where messages go that five deliveries could not get handled. */
export const DEAD_STREAM = {
  name: 'DEAD',
  subjects: ['dead.>'],
  maxAgeHours: 24 * 14,
  maxBytes: 256 * 1024 * 1024,
} as const;

/** Core NATS subject on which an owner hears which of its facts a consumer has stored. */
export const confirmSubject = (owner: string): string => `confirm.${owner}`;
