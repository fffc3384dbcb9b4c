import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '@tidemark/sdk';
import { asObject } from '../local/json-file.ts';
import { messageOf } from '../local/problem.ts';
import { renderMetrics } from './canary-metrics.ts';
import { HOOK_PATH, startCanarySite } from './canary-site.ts';
import { ChangeLog } from './change-log.ts';

export interface CanaryOptions {
  /** Base URL of the gateway, without /v1. */
  readonly url: string;
  /** A key with the scope admin: only such a key reads the signing secret. */
  readonly key: string;
  /** Host and port on which the site, its receiver and the metrics listen; port 0 takes any free one. */
  readonly host: string;
  readonly port: number;
  /** URL at which the fleet reaches the site; absent: host and port. */
  readonly siteUrl?: string;
  /** Time between two changes, seconds. */
  readonly everySeconds: number;
  /** Time within which a change must arrive, seconds. */
  readonly limitSeconds: number;
  readonly signal: AbortSignal;
  readonly log: (message: string, fields?: object) => void;
}

const NAME = 'Canary';
const CALL_WITHIN_MS = 30_000;
const BASELINE_WITHIN_MS = 300_000;
/** Rounds after which the project is replaced by a new one, so that its runs do not fill the database: a day of one a minute. */
const ROUNDS_PER_PROJECT = 1_440;

type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Record<string, unknown>>;

export interface Canary {
  /** URL of the site, its receiver and the metrics on this machine. */
  readonly origin: string;
  /** Settles when the signal is aborted. */
  readonly ended: Promise<void>;
}

/**
 * Measures the time from a change of a page to the webhook about it: changes a page of its site each round, starts a run of its project through the
 * API, and receives the messages. Failures of a round are logged and counted; the next round continues.
 */
export async function startCanary(options: CanaryOptions): Promise<Canary> {
  const { url, key, host, port, everySeconds, limitSeconds, signal, log } = options;
  const call = callerOf({ url, key, signal });
  const changes = new ChangeLog(limitSeconds);
  let refusedRuns = 0;
  let unreadySinceMs: number | undefined = Date.now();
  let secret = '';
  const site = await startCanarySite({
    host,
    port,
    metrics: () => {
      const now = Date.now();
      const measured = changes.measured(now);
      // Without a project nothing is measured, which must not look like health.
      const unready = unreadySinceMs === undefined ? 0 : (now - unreadySinceMs) / 1_000;
      const waitingSeconds = Math.max(measured.waitingSeconds, unready);
      return renderMetrics({ ...measured, waitingSeconds, limitSeconds, refusedRuns });
    },
    onMessage: async (headers, raw) => {
      const changed = await changedPage(headers, raw, secret);
      if (changed !== undefined) changes.arrived(changed, Date.now());
    },
  });
  const origin = `http://${host}:${site.port}`;
  const siteUrl = (options.siteUrl ?? origin).replace(/\/$/, '');

  /** Makes the project and its first run, with which later runs are compared. @returns its id */
  const newProject = async (): Promise<string> => {
    changes.discard();
    for (const id of await canaryProjects(call, siteUrl)) await call('DELETE', `/projects/${id}`);
    const config = {
      use_sitemap: false,
      max_pages: 20,
      webhook_url: `${siteUrl}${HOOK_PATH}`,
      webhook_events: ['page.changed'],
    };
    const { id } = await call('POST', '/projects', { seed: `${siteUrl}/`, name: NAME, config });
    const project = String(id);
    const webhook = await call('GET', `/projects/${project}/webhooks`);
    if (typeof webhook['secret'] !== 'string')
      throw new Error('the key may not read the signing secret of the webhook; expected a key with the scope admin');
    secret = webhook['secret'];
    const run = await call('POST', `/projects/${project}/runs`, {});
    await untilRecorded(call, { project, run: String(run['id']), signal });
    log('canary project is ready', { project });
    return project;
  };

  const round = async (project: string): Promise<void> => {
    changes.shown(`${siteUrl}${site.change()}`, Date.now());
    try {
      await call('POST', `/projects/${project}/runs`, {});
    } catch (error) {
      refusedRuns += 1;
      log('canary run could not be started, the next round tries again', { error: messageOf(error) });
    }
  };

  const loop = async (): Promise<void> => {
    let project: string | undefined;
    let rounds = 0;
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        if (project === undefined || rounds >= ROUNDS_PER_PROJECT) {
          unreadySinceMs ??= Date.now();
          project = await newProject();
          unreadySinceMs = undefined;
          rounds = 0;
        } else {
          await round(project);
          rounds += 1;
        }
      } catch (error) {
        if (!signal.aborted) log('canary project could not be made, will retry', { error: messageOf(error) });
      }
      const leftMs = everySeconds * 1_000 - (performance.now() - startedAt);
      await sleep(Math.max(leftMs, 100), undefined, { signal }).catch(() => {});
    }
    await site.close();
  };
  return { origin, ended: loop() };
}

/** Returns the page that a message reports as changed. @throws TidemarkError invalid_signature */
async function changedPage(headers: IncomingHttpHeaders, raw: string, secret: string): Promise<string | undefined> {
  const message = await verifyWebhook(raw, headers, secret);
  return message.event === 'page.changed' ? message.data.url : undefined;
}

/** Returns the projects that an earlier canary of this site made. */
async function canaryProjects(call: Call, siteUrl: string): Promise<string[]> {
  const { data } = await call('GET', '/projects?limit=100');
  return (Array.isArray(data) ? data.map(asObject) : [])
    .filter(({ seed, name }) => name === NAME && seed === `${siteUrl}/`)
    .map(({ id }) => String(id));
}

/** Waits until a run has ended with its change record. */
async function untilRecorded(
  call: Call,
  { project, run, signal }: { readonly project: string; readonly run: string; readonly signal: AbortSignal },
): Promise<void> {
  for (const deadline = performance.now() + BASELINE_WITHIN_MS; ; ) {
    const { status } = await call('GET', `/projects/${project}/runs/${run}`);
    if (status === 'done') {
      const record = await call('GET', `/projects/${project}/changes?run_id=${run}&limit=1`);
      if (record['status'] === 'made') return;
    } else if (status !== 'queued' && status !== 'running') throw new Error(`the first run ended as ${status}`);
    if (performance.now() > deadline) throw new Error('the first run has not ended in time');
    await sleep(500, undefined, { signal });
  }
}

/** @throws Error with the status and the body of the response */
function callerOf({ url, key, signal }: Pick<CanaryOptions, 'url' | 'key' | 'signal'>): Call {
  return async (method, path, body) => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_WITHIN_MS)]),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return text === '' ? {} : asObject(JSON.parse(text));
  };
}
