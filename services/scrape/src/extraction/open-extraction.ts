import type { HttpClient } from '@tidemark/egress';
import { makeRequestCompletion } from '@tidemark/models';
import type { Sealer } from '@tidemark/sealing';
import { FairQueue, type Outbox } from '@tidemark/service';
import type pg from 'pg';
import type { ScrapeApp } from '../config.ts';
import { type ExtractPage, makeExtractPage } from './extract-page.ts';
import { ExtractionStore } from './extraction-store.ts';
import { ModelPace } from './model-pace.ts';
import { makeRequestExtraction } from './request-extraction.ts';
import { TokenBudget } from './token-budget.ts';

/** Calls of models in progress in this process, and pages that wait for one. */
const MAX_CALLS = 32;
const RESERVED_CALLS = 8;
const MAX_WAITING = 2_000;

interface ExtractionParts {
  readonly pool: pg.Pool;
  readonly outbox: Outbox;
  readonly sealer: Sealer;
  /** Guarded client for calls to models. */
  readonly client: Pick<HttpClient, 'fetch'>;
}

/** Opens the extraction of values from captured pages by language models. */
export function openExtraction(app: ScrapeApp, { pool, outbox, sealer, client }: ExtractionParts): ExtractPage {
  const store = new ExtractionStore(pool, outbox);
  app.own(store.openExpiry(app.log));
  return makeExtractPage({
    sealer,

    store,
    budget: new TokenBudget(pool),
    requestExtraction: makeRequestExtraction(makeRequestCompletion(client, { retries: 0 })),
    pace: new ModelPace(() => performance.now()),
    slots: new FairQueue({
      capacity: MAX_CALLS,
      reserved: RESERVED_CALLS,
      maxWaiting: MAX_WAITING,
      slots: 'calls of language models',
    }),
    log: app.log,
  });
}
