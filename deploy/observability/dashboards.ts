import { type Dashboard, panel, quantile, query } from './dashboard.ts';

/** Failures of the service itself: faults of clients, and clients that left, are no errors. */
export const SERVER_FAULTS = 'outcome=~"internal|unavailable|broken"';

const HTTP = 'tidemark_http_server_duration_seconds';
const RPC = 'tidemark_rpc_server_duration_seconds';
const CAPTURE = 'tidemark_capture_duration_seconds';
const DELIVERY = 'tidemark_delivery_attempt_duration_seconds';

/** Returns the share of a rate; 0 where its numerator has no series yet. */
const share = (part: string, whole: string): string => `(${part} or 0 * ${whole}) / ${whole}`;

const requests = `sum(rate(${HTTP}_count[$__rate_interval]))`;
const pages = 'sum(rate(tidemark_pages_total[$__rate_interval]))';
const attempts = `sum(rate(${DELIVERY}_count[$__rate_interval]))`;

const overview: Dashboard = {
  name: 'overview',
  title: 'Tidemark: overview',
  description: 'State of the installation: requests, pages, backlogs and versions.',
  panels: [
    panel('Requests', 'reqps', 'Requests to the REST interface.', query(requests, 'requests')),
    panel(
      'Failed requests',
      'percentunit',
      'Share of requests that failed through a fault of the service. The objective is below 0.1 %.',
      query(share(`sum(rate(${HTTP}_count{${SERVER_FAULTS}}[$__rate_interval]))`, requests), 'failed'),
    ),
    panel('Duration of requests', 's', 'Half and 95 % of the requests are faster.', [
      query(quantile(0.5, HTTP, ''), 'p50'),
      query(quantile(0.95, HTTP, ''), 'p95'),
    ]),
    panel(
      'Pages',
      'cps',
      'Captured pages per second by purpose.',
      query('sum by (kind) (rate(tidemark_pages_total[$__rate_interval]))', '{{kind}}'),
    ),
    panel(
      'Runs',
      'short',
      'Active runs; unowned ones are advanced by no instance.',
      query('max by (state) (tidemark_runs)', '{{state}}'),
    ),
    panel(
      'Backlog of events',
      'short',
      'Events that not every consumer has confirmed. It returns to 0 when the load ends.',
      query('max by (service) (tidemark_outbox_events{state="unconfirmed"})', '{{service}}'),
    ),
    panel(
      'Canary',
      's',
      'Time from a change of a page to its webhook, and the age of the oldest change that has not arrived. Empty without a canary.',
      [
        query('max(tidemark_canary_latency_seconds)', 'newest'),
        query('max(tidemark_canary_waiting_seconds)', 'waiting'),
        query('max(tidemark_canary_limit_seconds)', 'limit'),
      ],
    ),
    panel(
      'Versions',
      'short',
      'Processes by version: more than one version only during an upgrade.',
      query('count by (version) (tidemark_build_info)', '{{version}}'),
    ),
  ],
};

const capture: Dashboard = {
  name: 'capture',
  title: 'Tidemark: capture',
  description: 'Single pages: rate, verdicts and durations by engine.',
  panels: [
    panel(
      'Pages by verdict',
      'cps',
      'Captured pages per second by verdict.',
      query('sum by (verdict) (rate(tidemark_pages_total[$__rate_interval]))', '{{verdict}}'),
    ),
    panel(
      'Pages by engine',
      'cps',
      'Captured pages per second by engine; none: no engine returned one.',
      query('sum by (engine) (rate(tidemark_pages_total[$__rate_interval]))', '{{engine}}'),
    ),
    panel(
      'Blocked pages',
      'percentunit',
      'Share of pages that their sites refused. A rise of many sites at once has its cause in the exits or in the fingerprint.',
      query(share('sum(rate(tidemark_pages_total{verdict="blocked"}[$__rate_interval]))', pages), 'blocked'),
    ),
    panel(
      'Duration by engine',
      's',
      '95 % of the pages are faster, with the waits for their hosts.',
      query(quantile(0.95, CAPTURE, 'engine'), '{{engine}}'),
    ),
    panel(
      'Duration by stage',
      's',
      '95 % of the pages are faster in this stage.',
      query(quantile(0.95, 'tidemark_capture_stage_seconds', 'stage'), '{{stage}}'),
    ),
    panel(
      'Waiting work',
      'short',
      'Captures that wait for a slot, by queue.',
      query('max by (queue) (tidemark_queue_depth)', '{{queue}}'),
    ),
  ],
};

const crawl: Dashboard = {
  name: 'crawl',
  title: 'Tidemark: crawl',
  description: 'Runs, their frontier and the pages they capture.',
  panels: [
    panel(
      'Runs',
      'short',
      'Runs in each state, of projects and crawls.',
      query('max by (state) (tidemark_runs)', '{{state}}'),
    ),
    panel(
      'Pages of runs',
      'cps',
      'Captured pages of runs per second.',
      query('sum(rate(tidemark_pages_total{kind="run"}[$__rate_interval]))', 'pages'),
    ),
    panel(
      'Frontier',
      'short',
      'URLs of active runs that are queued, and those in flight.',
      query('max by (state) (tidemark_run_frontier_pages)', '{{state}}'),
    ),
    panel(
      'Results recorded',
      'cps',
      'Results of pages that crawl records per second. It follows the pages of runs.',
      query(
        'sum(rate(tidemark_bus_consumer_duration_seconds_count{service="crawl",name="event.run.page"}[$__rate_interval]))',
        'batches',
      ),
    ),
    panel(
      'Time to record a batch',
      's',
      '95 % of the batches are faster.',
      query(
        quantile(0.95, 'tidemark_bus_consumer_duration_seconds', '', '{service="crawl",name="event.run.page"}'),
        'p95',
      ),
    ),
  ],
};

const record: Dashboard = {
  name: 'record',
  title: 'Tidemark: record',
  description: 'Change records: events that diff and archive store, and the calls they answer.',
  panels: [
    panel(
      'Events stored',
      'cps',
      'Batches of events that diff and archive store per second.',
      query(
        'sum by (service, name) (rate(tidemark_bus_consumer_duration_seconds_count{service=~"diff|archive"}[$__rate_interval]))',
        '{{service}} {{name}}',
      ),
    ),
    panel(
      'Time to store a batch',
      's',
      '95 % of the batches are faster.',
      query(
        quantile(0.95, 'tidemark_bus_consumer_duration_seconds', 'service', '{service=~"diff|archive"}'),
        '{{service}}',
      ),
    ),
    panel(
      'Calls',
      'reqps',
      'Calls of diff and archive per second.',
      query(`sum by (service) (rate(${RPC}_count{service=~"diff|archive"}[$__rate_interval]))`, '{{service}}'),
    ),
    panel(
      'Duration of calls',
      's',
      '95 % of the calls are faster.',
      query(quantile(0.95, RPC, 'service', '{service=~"diff|archive"}'), '{{service}}'),
    ),
    panel(
      'Backlog',
      'short',
      'Messages of the consumers of diff and archive that are not delivered yet.',
      query(
        'max by (consumer) (tidemark_bus_consumer_messages{consumer=~"(diff|archive)-.*",state="pending"})',
        '{{consumer}}',
      ),
    ),
  ],
};

const delivery: Dashboard = {
  name: 'delivery',
  title: 'Tidemark: delivery',
  description: 'Webhooks, chat messages and mails.',
  panels: [
    panel(
      'Attempts',
      'cps',
      'Attempts per second by result.',
      query(`sum by (outcome) (rate(${DELIVERY}_count[$__rate_interval]))`, '{{outcome}}'),
    ),
    panel(
      'Failed attempts',
      'percentunit',
      'Share of attempts that failed, mostly through receivers.',
      query(share(`sum(rate(${DELIVERY}_count{outcome!~"ok|delivered"}[$__rate_interval]))`, attempts), 'failed'),
    ),
    panel('Duration of attempts', 's', '95 % of the attempts are faster.', query(quantile(0.95, DELIVERY, ''), 'p95')),
    panel(
      'Due deliveries',
      'short',
      'Deliveries that are due now, and receivers that are paused.',
      query('max by (state) (tidemark_deliveries)', '{{state}}'),
    ),
    panel(
      'Oldest due delivery',
      's',
      'The objective is below 60 s.',
      query('max(tidemark_delivery_oldest_due_seconds)', 'age'),
    ),
  ],
};

const exporting: Dashboard = {
  name: 'export',
  title: 'Tidemark: export',
  description: 'Files of datasets, and syncs of destinations.',
  panels: [
    panel(
      'Syncs',
      'short',
      'Syncs by state; failed: those of the last hour.',
      query('max by (state) (tidemark_syncs)', '{{state}}'),
    ),
    panel(
      'Oldest due sync',
      's',
      'Time for which the oldest queued sync is due.',
      query('max(tidemark_sync_oldest_due_seconds)', 'age'),
    ),
    panel(
      'Calls',
      'reqps',
      'Calls of export per second.',
      query(`sum by (name) (rate(${RPC}_count{service="export"}[$__rate_interval]))`, '{{name}}'),
    ),
    panel(
      'Duration of calls',
      's',
      '95 % of the calls are faster.',
      query(quantile(0.95, RPC, '', '{service="export"}'), 'p95'),
    ),
  ],
};

const billing: Dashboard = {
  name: 'billing',
  title: 'Tidemark: billing',
  description: 'Credits, and the comparison of accounts with their ledger.',
  panels: [
    panel(
      'Credits settled',
      'cps',
      'Credits of settled charges per second by kind.',
      query('sum by (kind) (rate(tidemark_credits_settled_total[$__rate_interval]))', '{{kind}}'),
    ),
    panel(
      'Leases and balances',
      'reqps',
      'Calls of billing per second.',
      query(`sum by (name) (rate(${RPC}_count{service="billing"}[$__rate_interval]))`, '{{name}}'),
    ),
    panel(
      'Duration of calls',
      's',
      '95 % of the calls are faster. New work waits for a lease.',
      query(quantile(0.95, RPC, '', '{service="billing"}'), 'p95'),
    ),
    panel(
      'Accounts that differ',
      'short',
      'Accounts that differ from their ledger: each is a defect.',
      query('max(tidemark_balance_differences)', 'accounts'),
    ),
    panel(
      'Unmatched payments',
      'short',
      'Payments that belong to no order.',
      query('max(tidemark_unmatched_payments)', 'payments'),
    ),
  ],
};

const browser: Dashboard = {
  name: 'browser',
  title: 'Tidemark: browser',
  description: 'Browser processes and their tabs.',
  panels: [
    panel(
      'Tabs',
      'short',
      'Busy tabs, their limit, and pages that wait for one, of all instances.',
      query('sum by (state) (tidemark_browser_tabs)', '{{state}}'),
    ),
    panel(
      'Saturation',
      'percentunit',
      'Share of tabs that are busy. Above 80 % for long: add instances.',
      query('sum(tidemark_browser_tabs{state="busy"}) / sum(tidemark_browser_tabs{state="limit"})', 'busy'),
    ),
    panel(
      'Pages',
      'cps',
      'Rendered pages per second.',
      query('sum(rate(tidemark_browser_pages_total[$__rate_interval]))', 'pages'),
    ),
    panel(
      'Ended processes',
      'cps',
      'Browser processes that ended, by reason.',
      query('sum by (reason) (rate(tidemark_browser_restarts_total[$__rate_interval]))', '{{reason}}'),
    ),
    panel('Processes', 'short', 'Running browser processes.', query('sum(tidemark_browser_processes)', 'processes')),
  ],
};

const capacity: Dashboard = {
  name: 'capacity',
  title: 'Tidemark: capacity',
  description: 'Use, saturation and errors of processes and of what they depend on.',
  panels: [
    panel(
      'CPU',
      'short',
      'Cores in use by process.',
      query(
        'sum by (job, instance) (rate(tidemark_process_cpu_seconds_total[$__rate_interval]))',
        '{{job}} {{instance}}',
      ),
    ),
    panel(
      'Memory',
      'bytes',
      'Resident memory by process.',
      query('max by (job, instance) (tidemark_process_memory_bytes{kind="resident"})', '{{job}} {{instance}}'),
    ),
    panel(
      'Share of the memory limit',
      'percentunit',
      'From 85 % on new work is refused.',
      query('max by (job, instance) (tidemark_memory_share)', '{{job}} {{instance}}'),
    ),
    panel(
      'Refused work',
      'cps',
      'Calls refused because memory is full.',
      query('sum by (job) (rate(tidemark_memory_refused_total[$__rate_interval]))', '{{job}}'),
    ),
    panel(
      'Delay of the event loop',
      's',
      '99th percentile by process. Above 0.1 s calls wait.',
      query('max by (job, instance) (tidemark_event_loop_delay_seconds)', '{{job}} {{instance}}'),
    ),
    panel(
      'Garbage collection',
      'percentunit',
      'Share of time in garbage collections.',
      query('max by (job, instance) (rate(tidemark_gc_seconds_total[$__rate_interval]))', '{{job}} {{instance}}'),
    ),
    panel(
      'Open files',
      'short',
      'Open files and sockets by process.',
      query('max by (job, instance) (tidemark_open_files)', '{{job}} {{instance}}'),
    ),
    panel(
      'Connections to PostgreSQL',
      'short',
      'Connections by service and state. waiting above 0 for long: the pool is too small, or statements are slow.',
      query('sum by (service, state) (tidemark_postgres_connections)', '{{service}} {{state}}'),
    ),
    panel(
      'Backlog of consumers',
      'short',
      'Messages that are not delivered yet, by consumer: the numbers that KEDA scales by.',
      query('max by (consumer) (tidemark_bus_consumer_messages{state="pending"})', '{{consumer}}'),
    ),
    panel(
      'Redelivered messages',
      'short',
      'Messages that were delivered more than once and are not acknowledged.',
      query('max by (consumer) (tidemark_bus_consumer_messages{state="redelivered"})', '{{consumer}}'),
    ),
    panel(
      'Overdue events',
      'short',
      'Events that no consumer confirmed within 15 s.',
      query('max by (service) (tidemark_outbox_events{state="overdue"})', '{{service}}'),
    ),
  ],
};

/** Every dashboard that is shipped. */
export const DASHBOARDS: readonly Dashboard[] = [
  overview,
  capture,
  crawl,
  record,
  delivery,
  exporting,
  billing,
  browser,
  capacity,
];
