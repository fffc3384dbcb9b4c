import type { BlobStore } from '@tidemark/blobs';
import type { PageWork } from '@tidemark/contracts/scrape/v1/work';
import { createGot, createHttpClient, type EgressGuard, ROBOTS_TOKEN, USER_AGENT } from '@tidemark/egress';
import type { HostLimiter } from '@tidemark/host-pace';
import { openRequest, Sealer, sealRequest } from '@tidemark/sealing';
import type { Outbox } from '@tidemark/service';
import type pg from 'pg';
import { PageCapture } from '../capture/capture-page.ts';
import { makeFindEarlier, makeReadBodies } from '../capture/find-earlier.ts';
import type { ScrapeApp } from '../config.ts';
import { type CaptureOptions, withExtractionInput } from '../domain/capture-options.ts';
import type { Rung } from '../domain/ladder.ts';
import { BrowserEngine } from '../engines/browser-engine.ts';
import { HttpEngine } from '../engines/http-engine.ts';
import { openExits } from '../exits/open-exits.ts';
import { openExtraction } from '../extraction/open-extraction.ts';
import { LoginDeletions } from '../logins/login-deletions.ts';
import { LoginSessions } from '../logins/login-sessions.ts';
import { LoginStore } from '../logins/login-store.ts';
import { makeOpenLogin } from '../logins/open-login.ts';
import { makeProbeLogin } from '../logins/probe-login.ts';
import { ReadPool } from '../reader/read-pool.ts';
import { makeFetchRobots } from '../robots/fetch-robots.ts';
import { RobotsGate } from '../robots/robots-gate.ts';
import { FingerprintStore } from '../store/fingerprint-store.ts';
import { makeMatchPages } from '../stored/match-pages.ts';
import { makePreviewPage } from '../stored/preview-page.ts';
import { makeRereadPage } from '../stored/reread-page.ts';
import { makeSearchSelectors } from '../stored/search-selectors.ts';

interface CaptureParts {
  readonly pool: pg.Pool;
  readonly outbox: Outbox;
  readonly blobs: BlobStore;
  readonly guard: EgressGuard;
  readonly ladder: readonly Rung[];
  readonly pace: HostLimiter;
}

/** Opens page capture (engines, exits, robots.txt, readers, fingerprints), and the features that share its readers. */
export async function openCapture(app: ScrapeApp, { pool, outbox, blobs, guard, ladder, pace }: CaptureParts) {
  const { BROWSER_POOL_ADDR, ARCHIVE_ADDR, BLOB_URL: blobUrl, READ_THREADS: threads } = app.config;
  const { log } = app;
  const http = app.own(createHttpClient(guard, { headers: { 'user-agent': USER_AGENT } }));
  const browserPool = app.dial('browser-pool', BROWSER_POOL_ADDR);
  const exits = app.own(await openExits(browserPool, log));
  const robots = new RobotsGate(makeFetchRobots(createGot(guard), USER_AGENT), ROBOTS_TOKEN);
  const browsers = new BrowserEngine(browserPool);
  const archive = app.dial('archive', ARCHIVE_ADDR);
  const reader = app.own(new ReadPool({ threads, blobUrl }));
  const now = () => new Date();
  const sealer = new Sealer(app.config.SEALING_KEYS);
  const sessions = new LoginSessions(new LoginStore(pool), sealer, now);
  const loginDeletions = new LoginDeletions();
  const openLogin = makeOpenLogin(sessions, loginDeletions);
  const pages = new PageCapture({
    ladder,
    engines: new Map([new HttpEngine(http), browsers].map((engine) => [engine.tier, engine])),
    robots,
    reader,
    exits,
    memory: app.own(new FingerprintStore(pool, log)),
    findEarlier: makeFindEarlier({ archive, log }),
    readBodies: makeReadBodies({ blobs, log }),
    openLogin,
    loginDeletions,
    now,
  });
  const matchPages = makeMatchPages({
    runStored: (task, workspaceId) => reader.runStored(task, { priority: 'stored', workspaceId }),
  });
  const stored = {
    matchPages,
    searchSelectors: makeSearchSelectors({ archive, matchPages }),
    previewPage: makePreviewPage({
      runStored: (task, caller) => reader.runStored(task, { ...caller, priority: 'interactive' }),
    }),
    rereadPage: makeRereadPage({
      runStored: (task, caller) => reader.runStored(task, { ...caller, priority: 'stored' }),
    }),
  };
  const capture: PageCapture['capture'] = ({ options, ...task }, ...rest) =>
    pages.capture({ ...task, options: withExtractionInput(openRequest(options, sealer, task.workspaceId)) }, ...rest);
  return {
    /** Opens the headers and cookies of stored options. */
    capture,
    /** Adds values that a language model extracts. */
    extractPage: openExtraction(app, { pool, outbox, sealer, client: app.own(createHttpClient(guard)) }),
    sealOptions: (options: CaptureOptions, workspaceId: string) => sealRequest(options, sealer, workspaceId),
    openWork: (work: PageWork): PageWork =>
      work.options === undefined ? work : { ...work, options: openRequest(work.options, sealer, work.workspaceId) },
    robots,
    exits,
    archive,
    stored,
    sessions,
    loginDeletions,
    openLogin,
    probe: makeProbeLogin({ http, reader, pace, now }),
  };
}
