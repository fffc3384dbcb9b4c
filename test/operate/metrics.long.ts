import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { stringify } from 'yaml';
import { startCanary } from '../../deploy/canary/run-canary.ts';
import { startBillingDemo } from '../../deploy/local/billing-demo.ts';
import { ALERTS } from '../../deploy/observability/alerts.ts';
import { DASHBOARDS } from '../../deploy/observability/dashboards.ts';
import { startHarbour } from '../e2e/harbour-site.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { writeSeller } from '../harness/shop.ts';
import { until } from '../harness/until.ts';
import { startReceiver } from '../harness/webhook-receiver.ts';
import { startWeb } from '../web/server.ts';
import {
  fetchPrometheus,
  hasDebianPackages,
  type Prometheus,
  type PrometheusTools,
  startPrometheus,
} from './prometheus.ts';
import { RULE_TESTS } from './rule-tests.ts';

const RULES = resolve(import.meta.dirname, '../../helm/tidemark/files/rules/tidemark.yaml');
/** No message of the payment sandbox is received in this test. */
const UNUSED_PORT = 9;
/** Metrics of incidents: they have no series before the first one. */
const ONLY_AFTER_INCIDENTS = /tidemark_(dead_letters|request_log_dropped)_total/;

needs('fetched-server', hasDebianPackages(), () => {
  const folder = mkdtempSync(join(tmpdir(), 'tm-prometheus-'));
  let tools: PrometheusTools;
  beforeAll(() => {
    tools = fetchPrometheus(join(folder, 'debian'));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('the rules', () => {
    test('are accepted by promtool', () => {
      expect(execFileSync(tools.promtool, ['check', 'rules', RULES]).toString()).toContain('SUCCESS');
    });

    test('fire in the situation that each describes, and are silent in a healthy one', () => {
      expect(RULE_TESTS.map(({ alert }) => alert).toSorted()).toEqual(ALERTS.map(({ name }) => name).toSorted());
      const file = join(folder, 'rule-tests.yaml');
      const labelsOf = (name: string) => ({ severity: ALERTS.find((alert) => alert.name === name)?.severity });
      const tests = RULE_TESTS.flatMap(({ alert, at, firing, silent, labels = {} }) => [
        {
          interval: '1m',
          input_series: firing,
          alert_rule_test: [
            {
              eval_time: at,
              alertname: alert,
              exp_alerts: [{ exp_labels: { ...labels, ...labelsOf(alert) }, exp_annotations: annotationsOf(alert) }],
            },
          ],
        },
        {
          interval: '1m',
          input_series: silent,
          alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: [] }],
        },
      ]);
      writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
      expect(execFileSync(tools.promtool, ['test', 'rules', file]).toString()).toContain('SUCCESS');
    });
  });

  describe('a fleet under traffic', () => {
    let fleet: OwnFleet;
    let prometheus: Prometheus;
    let targets: Readonly<Record<string, string>>;
    let closeAll = async (): Promise<void> => undefined;

    beforeAll(async () => {
      // Billing has the metrics of payments only where a gateway is configured.
      const sandbox = await startBillingDemo({ dataDir: join(folder, 'sandbox'), restPort: UNUSED_PORT }, {});
      const payments = { ...sandbox.env, TIDEMARK_SELLER: writeSeller(folder) };
      fleet = await startFleet({ processPerService: true, env: { billing: payments } });
      const [web, site, receiver] = [
        await startWeb(),
        await startHarbour('127.0.0.5'),
        await startReceiver('127.0.0.6'),
      ];
      const { writer, admin } = await fleet.workspaces.make();
      const stopping = new AbortController();
      const canary = await startCanary({
        url: fleet.url,
        key: admin.key,
        host: '127.0.0.7',
        port: 0,
        everySeconds: 10,
        limitSeconds: 120,
        signal: stopping.signal,
        log: (message, fields) => console.info(message, fields),
      });
      targets = { ...fleet.http, canary: new URL(canary.origin).host };
      prometheus = await startPrometheus(tools, folder, targets);
      closeAll = async () => {
        prometheus.close();
        stopping.abort();
        await canary.ended;
        site.close();
        receiver.close();
        await web.close();
        await fleet.close();
        await sandbox.close();
      };
      const config = { max_pages: 10, webhook_url: `${receiver.origin}/hooks`, use_sitemap: false };
      const { id } = await makeProject(writer, { seed: `${site.origin}/`, config });
      const traffic = async (): Promise<void> => {
        await writer.capture(web.url('/article'));
        await writer.capture(web.url('/app-shell'), { config: { render_js: 'always' } });
        await writer.get('/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m');
        await fleet.api('service_wrong').get('/me');
        await admin.get(`/projects/${id}/export?dataset=pages`);
        await runToEnd(writer, id);
      };
      await traffic();
      await until('a webhook', () => receiver.received.length > 0);
      await until(
        'a change of the canary',
        async () => (await (await fetch(`${canary.origin}/metrics`)).text()).includes('latency_seconds '),
        {
          withinMs: 120_000,
        },
      );
      // Rates need series with two values: the counters exist after the first round.
      await traffic();
      await until(
        'a second scrape of each process',
        async () => (await prometheus.query('count(up == 1)'))[0]?.value === String(Object.keys(targets).length),
      );
      await traffic();
    }, 240_000);
    afterAll(() => closeAll());

    const expressions = [
      ...DASHBOARDS.flatMap(({ name, panels }) =>
        panels.flatMap(({ title, queries }) => queries.map(({ expr }) => ({ of: `${name}: ${title}`, expr }))),
      ),
      // The condition of an alert is not met; its operands must have series.
      ...ALERTS.flatMap(({ name, expr }) => operandsOf(expr).map((operand) => ({ of: name, expr: operand }))),
    ];

    test.each(expressions)('$of has series for $expr', async ({ expr }) => {
      const ready = expr.replaceAll('$__rate_interval', '1m');
      const found = await prometheus.query(ready);
      if (ONLY_AFTER_INCIDENTS.test(expr)) return;
      expect(found.length).toBeGreaterThan(0);
      expect(found.every(({ value }) => value !== 'NaN' || /histogram_quantile/.test(expr))).toBe(true);
    });

    test('no process exports the metrics of a process twice', async () => {
      const counted = await prometheus.query('count by (job) (tidemark_build_info)');
      expect(counted.map(({ value }) => value)).toEqual(counted.map(() => '1'));
      expect(counted).toHaveLength(Object.keys(fleet.http).length);
    });
  });
});

/** Returns the annotations that promtool compares. */
function annotationsOf(name: string): Record<string, string> {
  const summary = ALERTS.find((alert) => alert.name === name)?.summary ?? '';
  return { summary, runbook_url: `docs/runbooks.md#${name.toLowerCase()}` };
}

/** Returns what the comparisons of a condition compare, without the numbers. */
function operandsOf(expr: string): string[] {
  const isNumber = /^[\d.()* ]+$/;
  return expr.split(/ (?:and|>=|<=|==|>|<) /).filter((operand) => !isNumber.test(operand));
}
