/** A series of a test of rules, in the notation of promtool: `0+10x20` is 0, 10, 20, … over 20 minutes. */
interface Series {
  readonly series: string;
  readonly values: string;
}

/** Situations in which an alert fires, and in which it is silent. */
export interface RuleTest {
  readonly alert: string;
  /** When both are evaluated. */
  readonly at: string;
  readonly firing: readonly Series[];
  readonly silent: readonly Series[];
  /** Labels of the alert besides its severity. */
  readonly labels?: Readonly<Record<string, string>>;
}

const series = (name: string, values: string): Series => ({ series: name, values });
const http = (outcome: string, values: string): Series =>
  series(`tidemark_http_server_duration_seconds_count{outcome="${outcome}"}`, values);

/** Returns a test of a gauge: one value fires, another is silent. */
const gauge = (
  alert: string,
  name: string,
  [bad, good]: readonly [number, number],
  more: Partial<RuleTest> = {},
): RuleTest => ({
  alert,
  at: '75m',
  firing: [series(name, `${bad}x100`)],
  silent: [series(name, `${good}x100`)],
  ...more,
});

/** Returns a test of a counter: it rises, or stays. */
const rising = (alert: string, name: string, more: Partial<RuleTest> = {}): RuleTest => ({
  alert,
  at: '30m',
  firing: [series(name, '0+2x60')],
  silent: [series(name, '5x60')],
  ...more,
});

const place = { job: 'scrape', instance: 'a' };
const PLACE = '{job="scrape",instance="a"}';

export const RULE_TESTS: readonly RuleTest[] = [
  {
    alert: 'TidemarkApiErrorsFast',
    at: '70m',
    firing: [http('ok', '0+980x100'), http('internal', '0+20x100')],
    silent: [http('ok', '0+1000x100'), http('not_found', '0+500x100')],
  },
  {
    alert: 'TidemarkApiErrorsSlow',
    at: '390m',
    firing: [http('ok', '0+990x500'), http('unavailable', '0+10x500')],
    silent: [http('ok', '0+999x500'), http('gone', '0+300x500')],
  },
  {
    alert: 'TidemarkProcessDown',
    at: '10m',
    firing: [series('up{job="crawl",instance="a"}', '0x20')],
    silent: [series('up{job="crawl",instance="a"}', '1x20'), series('up{job="other"}', '0x20')],
    labels: { job: 'crawl', instance: 'a' },
  },
  {
    alert: 'TidemarkCanaryLate',
    at: '10m',
    firing: [series('tidemark_canary_waiting_seconds', '0+60x20'), series('tidemark_canary_limit_seconds', '120x20')],
    silent: [series('tidemark_canary_waiting_seconds', '15x20'), series('tidemark_canary_limit_seconds', '120x20')],
  },
  {
    alert: 'TidemarkMixedVersions',
    at: '75m',
    firing: [
      series('tidemark_build_info{version="1.0.0"}', '1x100'),
      series('tidemark_build_info{version="1.1.0"}', '1x100'),
    ],
    silent: [
      series('tidemark_build_info{version="1.0.0",job="a"}', '1x100'),
      series('tidemark_build_info{version="1.0.0",job="b"}', '1x100'),
    ],
  },
  gauge('TidemarkEventBacklog', 'tidemark_bus_consumer_messages{consumer="archive-x",state="pending"}', [20_000, 100], {
    labels: { consumer: 'archive-x' },
  }),
  gauge(
    'TidemarkEventsRedelivered',
    'tidemark_bus_consumer_messages{consumer="archive-x",state="redelivered"}',
    [50, 2],
    { labels: { consumer: 'archive-x' } },
  ),
  rising('TidemarkDeadLetters', 'tidemark_dead_letters_total{subject="event.run.page"}', {
    labels: { subject: 'event.run.page' },
  }),
  gauge('TidemarkOutboxOverdue', 'tidemark_outbox_events{service="crawl",state="overdue"}', [500, 3], {
    labels: { service: 'crawl' },
  }),
  gauge('TidemarkRunsUnowned', 'tidemark_runs{state="unowned"}', [1, 0]),
  {
    alert: 'TidemarkRunsStalled',
    at: '60m',
    firing: [series('tidemark_runs{state="running"}', '2x100'), series('tidemark_pages_total{kind="run"}', '9x100')],
    silent: [series('tidemark_runs{state="running"}', '2x100'), series('tidemark_pages_total{kind="run"}', '0+9x100')],
  },
  {
    alert: 'TidemarkPagesBlocked',
    at: '90m',
    firing: [
      series('tidemark_pages_total{verdict="ok"}', '0+10x200'),
      series('tidemark_pages_total{verdict="blocked"}', '0+30x200'),
    ],
    silent: [
      series('tidemark_pages_total{verdict="ok"}', '0+30x200'),
      series('tidemark_pages_total{verdict="blocked"}', '0+10x200'),
    ],
  },
  gauge('TidemarkDeliveriesLate', 'tidemark_delivery_oldest_due_seconds', [120, 5]),
  gauge('TidemarkReceiversPaused', 'tidemark_deliveries{state="receivers_paused"}', [1, 0]),
  gauge('TidemarkSyncsLate', 'tidemark_sync_oldest_due_seconds', [2_000, 10]),
  gauge('TidemarkSyncsFailing', 'tidemark_syncs{state="failed"}', [9, 1]),
  {
    alert: 'TidemarkBrowserQueue',
    at: '30m',
    firing: [
      series('tidemark_browser_tabs{state="waiting"}', '3x60'),
      series('tidemark_browser_tabs{state="busy"}', '4x60'),
      series('tidemark_browser_tabs{state="limit"}', '4x60'),
    ],
    silent: [
      series('tidemark_browser_tabs{state="waiting"}', '0x60'),
      series('tidemark_browser_tabs{state="busy"}', '4x60'),
      series('tidemark_browser_tabs{state="limit"}', '4x60'),
    ],
  },
  rising('TidemarkBrowserCrashes', 'tidemark_browser_restarts_total{reason="crashed"}'),
  rising('TidemarkMemoryRefusals', `tidemark_memory_refused_total${PLACE}`, { labels: place }),
  gauge('TidemarkEventLoopDelay', `tidemark_event_loop_delay_seconds${PLACE}`, [2, 0], { labels: place }),
  gauge('TidemarkDatabasePool', 'tidemark_postgres_connections{service="crawl",state="waiting"}', [4, 0], {
    labels: { service: 'crawl' },
  }),
  gauge('TidemarkBalanceDifferences', 'tidemark_balance_differences', [1, 0]),
  rising('TidemarkRequestLogDropped', 'tidemark_request_log_dropped_total'),
];
