import { observeGauge, observeTotal } from '@tidemark/service';

interface PoolStatus {
  readonly browsers: number;
  readonly busy: number;
  readonly queued: number;
  readonly rendered: number;
  readonly recycled: number;
  readonly crashed: number;
}

/** Registers the metrics of the pool. @param limit tabs that may be busy at once */
export function observePool(limit: number, status: () => PoolStatus): void {
  observeGauge('tidemark_browser_processes', { description: 'Running browser processes' }, () => [
    { value: status().browsers },
  ]);
  observeGauge(
    'tidemark_browser_tabs',
    { description: 'Tabs by state: busy, limit of busy ones; waiting: pages that wait for a tab' },
    () => {
      const { busy, queued } = status();
      return [
        { value: busy, labels: { state: 'busy' } },
        { value: queued, labels: { state: 'waiting' } },
        { value: limit, labels: { state: 'limit' } },
      ];
    },
  );
  observeTotal('tidemark_browser_pages', { description: 'Pages rendered by the pool' }, () => [
    { value: status().rendered },
  ]);
  observeTotal(
    'tidemark_browser_restarts',
    { description: 'Browser processes that ended, by reason: recycled at a limit, crashed' },
    () => [
      { value: status().recycled, labels: { reason: 'recycled' } },
      { value: status().crashed, labels: { reason: 'crashed' } },
    ],
  );
}
