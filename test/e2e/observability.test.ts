import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { useAccounts } from '../harness/account-run.ts';
import { type OwnFleet, serviceOf, startFleet } from '../harness/fleet.ts';
import { startTraceSink } from '../harness/trace-sink.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

const web = await startWeb();
const sink = await startTraceSink();
let fleet: OwnFleet;
let workspace: Workspace;

beforeAll(async () => {
  // The collector is set in the environment, as an operator does.
  Object.assign(process.env, sink.env);
  fleet = await startFleet({ services: FLEET, processPerService: true, logLevel: 'debug' });
  for (const key of Object.keys(sink.env)) delete process.env[key];
  workspace = await fleet.workspaces.make();
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'seen-from-outside' };
  const { job } = await workspace.writer.scrape({ url: web.url('/app-shell?token=secret-in-a-query') }, headers);
  await workspace.reader.job(job.id);
}, 90_000);
afterAll(async () => {
  await fleet?.close();
  sink.close();
  await web.close();
});

const FLEET = ['gateway', 'identity', 'billing', 'scrape', 'browser-pool', 'archive'] as const;

describe('traces', () => {
  test('one trace continues the caller’s from the gateway through every service and over the bus', async () => {
    const found = await until('the spans of every service', () => {
      const services = new Set(sink.ofTrace(TRACE).map(({ service }) => service));
      return FLEET.every((name) => services.has(name)) && sink.ofTrace(TRACE);
    });
    const names = found.map(({ service, name }) => `${service}: ${name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'gateway: POST /v1/scrape',
        'scrape: tidemark.scrape.v1.ScrapeService/Scrape',
        'browser-pool: tidemark.browser.v1.BrowserPoolService/Render',
        'archive: event.page.captured archive',
        'billing: event.credit.spent billing',
      ]),
    );
  });

  test('every span has its parent in the trace, up to the caller’s span', async () => {
    await until('the trace to be whole', () => {
      const spans = sink.ofTrace(TRACE);
      const known = new Set([PARENT, ...spans.map(({ spanId }) => spanId)]);
      return spans.length > 0 && spans.every(({ parentSpanId }) => known.has(parentSpanId));
    });
  });

  test('the browser’s spans descend from the request at the gateway: browser, pool, capture, scrape, gateway', async () => {
    const lineage = await until('the span of the browser', () => {
      const spans = sink.ofTrace(TRACE);
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      const deepest = spans.find(({ service, name }) => service === 'browser-pool' && name.startsWith('browser '));
      const names: string[] = [];
      for (let span = deepest; span !== undefined; span = byId.get(span.parentSpanId))
        names.push(`${span.service}: ${span.name}`);
      return names.length > 4 && names;
    });
    const order = [
      /^browser-pool: browser /,
      /^browser-pool: tidemark\.browser\.v1\.BrowserPoolService\/Render$/,
      /^scrape: capture /,
      /^scrape: tidemark\.scrape\.v1\.ScrapeService\/Scrape$/,
      /^gateway: POST \/v1\/scrape$/,
    ];
    const places = order.map((name) => lineage.findIndex((one) => name.test(one)));
    expect(places.every((place, at) => place > (places[at - 1] ?? -1))).toBe(true);
    expect(lineage.at(-1)).toBe('gateway: POST /v1/scrape');
  });

  test('no span contains secrets of a URL’s query or of a key', () => {
    const text = JSON.stringify(sink.ofTrace(TRACE));
    expect(text).not.toContain('secret-in-a-query');
    expect(text).not.toContain(workspace.writer.key);
  });
});

describe('a scripted run of the routes of accounts', () => {
  test('leaves no password, token, code or cookie in logs and traces', async () => {
    const trace = '1bf7651916cd43dd8448eb211c80319d';
    const traced = { traceparent: `00-${trace}-${PARENT}-01` };
    const secrets = await useAccounts(fleet, workspace, traced);
    expect(secrets.length).toBeGreaterThan(25);
    const spans = await until('the spans of identity', () => {
      const found = sink.ofTrace(trace);
      return found.some(({ name }) => name.endsWith('/ResetPassword')) && JSON.stringify(found);
    });
    const folder = join(fleet.dataDir, 'logs');
    const logged = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const text = [spans, ...logged].join('');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });
});

describe('metrics', () => {
  const metricsOf = async (name: string) => (await fetch(`http://${fleet.http[name]}/metrics`)).text();

  test.each(FLEET)('%s records rate, errors and duration of its calls by name and outcome', async (name) => {
    const text = await metricsOf(name);
    const kind = name === 'gateway' ? 'http_server' : 'rpc_server';
    const lines = text.split('\n').filter((line) => line.startsWith(`tidemark_${kind}_duration_seconds_bucket`));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toContain(`service="${name}"`);
      expect(line).toMatch(/[{,]name="[^"]+"/);
      expect(line).toMatch(/[{,]outcome="[^"]+"/);
    }
    expect(text).toMatch(new RegExp(`tidemark_${kind}_duration_seconds_count\\{[^}]*outcome="ok"`));
  });

  test.each(['archive', 'billing'])('%s counts the messages it consumes from the bus', async (name) => {
    expect(await metricsOf(name)).toMatch(/tidemark_bus_consumer_duration_seconds_count\{[^}]*outcome="ok"/);
  });

  test('scrape reports the depth of each queue', async () => {
    const text = await metricsOf('scrape');
    for (const queue of ['interactive', 'batch', 'run'])
      expect(text).toMatch(new RegExp(`tidemark_queue_depth\\{[^}]*service="scrape",queue="${queue}"[^}]*\\} \\d`));
  });

  test('a failed request is counted under its error code, and no label contains an id', async () => {
    await workspace.writer.get('/scrape/job_01j5xq2w8se6fa7t0a6q1n3k2m');
    const text = await metricsOf('gateway');
    expect(text).toMatch(/name="GET \/v1\/scrape\/\{id\}",outcome="not_found"/);
    expect(text).not.toMatch(/(job|ws|key|cap)_01[0-9a-z]{20}/);
  });
});

describe('logs', () => {
  const logs = () => {
    const folder = join(fleet.dataDir, 'logs');
    const serviceLogs = readdirSync(folder).filter((file) => FLEET.some((name) => file === `${name}.log`));
    return serviceLogs.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
  };

  test('contain the request id of a failed attempt, as JSON', async () => {
    await serviceOf(fleet, 'browser-pool').kill('SIGKILL');
    const order = { url: web.url('/article?token=secret-in-a-query'), config: { render_js: 'always' }, timeout: 1 };
    await workspace.writer.scrape(order, { 'x-request-id': 'will-fail' });
    const line = await until('a line about it', () =>
      logs()
        .split('\n')
        .find((text) => text.includes('"request_id":"will-fail"')),
    );
    expect(JSON.parse(line)).toMatchObject({ service: 'scrape', request_id: 'will-fail', msg: expect.any(String) });
    await serviceOf(fleet, 'browser-pool').restart();
  });

  test('are JSON on every line', () => {
    const lines = logs().trim().split('\n');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  });

  test('contain no key, no page and no secret of a URL', () => {
    const text = logs();
    for (const { key } of [workspace.admin, workspace.writer, workspace.reader]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(key.slice('service_'.length, 30));
    }
    expect(text).not.toContain('secret-in-a-query');
    expect(text).not.toContain('High water at Harlow Point');
    expect(text).not.toContain('Edda Marsh');
  });
});
