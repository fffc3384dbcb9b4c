import { SERVER_FAULTS } from './dashboards.ts';

export interface Alert {
  /** Also the heading of its runbook in docs/runbooks.md. */
  readonly name: string;
  readonly expr: string;
  /** How long the condition holds before it fires. */
  readonly for: string;
  /** critical: users are affected now; warning: they will be. */
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
}

const HTTP = 'tidemark_http_server_duration_seconds_count';

/** Returns the share of failed requests over a window. Without a failure there is no series of failures: the share is then 0, not empty. */
const failedShare = (window: string): string =>
  `(sum(rate(${HTTP}{${SERVER_FAULTS}}[${window}])) or 0 * sum(rate(${HTTP}[${window}]))) / sum(rate(${HTTP}[${window}]))`;

/** Returns whether the error budget of 0.1 % is used faster than `factor` over both windows (Google, Site Reliability Workbook, chapter 5). */
const burn = (factor: number, short: string, long: string): string => {
  const limit = (factor * 0.001).toFixed(4);
  return `${failedShare(short)} > ${limit} and ${failedShare(long)} > ${limit}`;
};

/** Every alert that is shipped. */
export const ALERTS: readonly Alert[] = [
  {
    name: 'TidemarkApiErrorsFast',
    expr: burn(14.4, '5m', '1h'),
    for: '2m',
    severity: 'critical',
    summary: 'Over 1.4 % of requests fail: the error budget of a month is used in two days',
  },
  {
    name: 'TidemarkApiErrorsSlow',
    expr: burn(6, '30m', '6h'),
    for: '15m',
    severity: 'warning',
    summary: 'Over 0.6 % of requests fail: the error budget of a month is used in five days',
  },
  {
    name: 'TidemarkProcessDown',
    expr: 'up{job=~"gateway|identity|billing|scrape|projects|crawl|map|browser-pool|archive|diff|export|delivery|mcp|canary"} == 0',
    for: '2m',
    severity: 'critical',
    summary: 'A process does not answer its metrics',
  },
  {
    name: 'TidemarkCanaryLate',
    expr: 'max(tidemark_canary_waiting_seconds) > max(tidemark_canary_limit_seconds)',
    for: '0m',
    severity: 'critical',
    summary: 'A change of the canary’s site has not arrived as a webhook in time',
  },
  {
    name: 'TidemarkMixedVersions',
    expr: 'count(count by (version) (tidemark_build_info)) > 1',
    for: '1h',
    severity: 'warning',
    summary: 'Processes of several versions run for an hour: an upgrade has not ended',
  },
  {
    name: 'TidemarkEventBacklog',
    expr: 'max by (consumer) (tidemark_bus_consumer_messages{state="pending"}) > 10000',
    for: '10m',
    severity: 'warning',
    summary: 'A consumer does not keep up with its events',
  },
  {
    name: 'TidemarkEventsRedelivered',
    expr: 'max by (consumer) (tidemark_bus_consumer_messages{state="redelivered"}) > 20',
    for: '15m',
    severity: 'warning',
    summary: 'A consumer fails to store events',
  },
  {
    name: 'TidemarkDeadLetters',
    expr: 'sum by (subject) (increase(tidemark_dead_letters_total[15m])) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'Events could not be stored and were moved to the dead-letter stream',
  },
  {
    name: 'TidemarkOutboxOverdue',
    expr: 'max by (service) (tidemark_outbox_events{state="overdue"}) > 100',
    for: '5m',
    severity: 'critical',
    summary: 'Events of a service are not confirmed by their consumers',
  },
  {
    name: 'TidemarkRunsUnowned',
    expr: 'max(tidemark_runs{state="unowned"}) > 0',
    for: '2m',
    severity: 'critical',
    summary: 'Runs are advanced by no instance of crawl',
  },
  {
    name: 'TidemarkRunsStalled',
    expr: 'max(tidemark_runs{state="running"}) > 0 and (sum(increase(tidemark_pages_total{kind="run"}[15m])) or vector(0)) == 0',
    for: '15m',
    severity: 'warning',
    summary: 'Runs are active, and no page of a run was captured for 15 minutes',
  },
  {
    name: 'TidemarkPagesBlocked',
    expr: 'sum(rate(tidemark_pages_total{verdict="blocked"}[30m])) / sum(rate(tidemark_pages_total[30m])) > 0.5',
    for: '30m',
    severity: 'warning',
    summary: 'Sites refuse over half of the pages',
  },
  {
    name: 'TidemarkDeliveriesLate',
    expr: 'max(tidemark_delivery_oldest_due_seconds) > 60',
    for: '5m',
    severity: 'critical',
    summary: 'Webhooks, chat messages or mails are sent over a minute late',
  },
  {
    name: 'TidemarkReceiversPaused',
    expr: 'max(tidemark_deliveries{state="receivers_paused"}) > 0',
    for: '1h',
    severity: 'warning',
    summary: 'Receivers are paused, because their deliveries used up all tries',
  },
  {
    name: 'TidemarkSyncsLate',
    expr: 'max(tidemark_sync_oldest_due_seconds) > 900',
    for: '5m',
    severity: 'warning',
    summary: 'Syncs of destinations are due for over 15 minutes',
  },
  {
    name: 'TidemarkSyncsFailing',
    expr: 'max(tidemark_syncs{state="failed"}) > 5',
    for: '15m',
    severity: 'warning',
    summary: 'Syncs of destinations fail',
  },
  {
    name: 'TidemarkBrowserQueue',
    expr: 'sum(tidemark_browser_tabs{state="waiting"}) > 0 and sum(tidemark_browser_tabs{state="busy"}) >= sum(tidemark_browser_tabs{state="limit"})',
    for: '10m',
    severity: 'warning',
    summary: 'Pages wait for a browser tab for ten minutes',
  },
  {
    name: 'TidemarkBrowserCrashes',
    expr: 'sum(increase(tidemark_browser_restarts_total{reason="crashed"}[15m])) > 5',
    for: '0m',
    severity: 'warning',
    summary: 'Browser processes crash',
  },
  {
    name: 'TidemarkMemoryRefusals',
    expr: 'sum by (job, instance) (increase(tidemark_memory_refused_total[10m])) > 0',
    for: '5m',
    severity: 'critical',
    summary: 'A process refuses work because its memory is full',
  },
  {
    name: 'TidemarkEventLoopDelay',
    expr: 'max by (job, instance) (tidemark_event_loop_delay_seconds) > 0.5',
    for: '10m',
    severity: 'warning',
    summary: 'The event loop of a process is blocked for over half a second',
  },
  {
    name: 'TidemarkDatabasePool',
    expr: 'sum by (service) (tidemark_postgres_connections{state="waiting"}) > 0',
    for: '5m',
    severity: 'warning',
    summary: 'Requests of a service wait for a connection to PostgreSQL',
  },
  {
    name: 'TidemarkBalanceDifferences',
    expr: 'max(tidemark_balance_differences) > 0',
    for: '0m',
    severity: 'critical',
    summary: 'An account differs from its ledger',
  },
  {
    name: 'TidemarkRequestLogDropped',
    expr: 'sum(increase(tidemark_request_log_dropped_total[15m])) > 0',
    for: '0m',
    severity: 'warning',
    summary: 'The request log loses requests',
  },
];
