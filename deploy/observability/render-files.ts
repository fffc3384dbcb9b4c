import { stringify } from 'yaml';
import { ALERTS, type Alert } from './alerts.ts';
import type { Dashboard, Panel } from './dashboard.ts';
import { DASHBOARDS } from './dashboards.ts';

/** The runbooks in the repository; the heading of an alert is its name. */
const RUNBOOKS = 'docs/runbooks.md';

const PANEL_WIDTH = 12;
const PANEL_HEIGHT = 8;
const SOURCE = { type: 'prometheus', uid: '$datasource' } as const;

function renderPanel({ title, description, unit, queries }: Panel, at: number): object {
  return {
    id: at + 1,
    type: 'timeseries',
    title,
    description,
    datasource: SOURCE,
    gridPos: { h: PANEL_HEIGHT, w: PANEL_WIDTH, x: (at % 2) * PANEL_WIDTH, y: Math.floor(at / 2) * PANEL_HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
    })),
  };
}

/** Returns a dashboard as Grafana imports it. */
export const renderDashboard = ({ name, title, description, panels }: Dashboard): object => ({
  uid: `tidemark-${name}`,
  title,
  description,
  tags: ['tidemark'],
  editable: false,
  schemaVersion: 39,
  time: { from: 'now-6h', to: 'now' },
  refresh: '30s',
  templating: {
    list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} }],
  },
  panels: panels.map(renderPanel),
});

const renderAlert = ({ name, expr, for: duration, severity, summary }: Alert): object => ({
  alert: name,
  expr,
  for: duration,
  labels: { severity },
  annotations: { summary, runbook_url: `${RUNBOOKS}#${name.toLowerCase()}` },
});

/** Returns the rules as Prometheus reads them. */
export const renderRules = (): object => ({ groups: [{ name: 'tidemark', rules: ALERTS.map(renderAlert) }] });

/** Returns the files that the chart ships, by their paths from the root of the repository. */
export function renderFiles(): ReadonlyMap<string, string> {
  const dashboards = DASHBOARDS.map(
    (dashboard) =>
      [
        `helm/tidemark/files/dashboards/${dashboard.name}.json`,
        `${JSON.stringify(renderDashboard(dashboard), null, 2)}\n`,
      ] as const,
  );
  const rules = `# Generated from deploy/observability by tools/observability.ts.\n${stringify(renderRules(), { lineWidth: 0 })}`;
  return new Map([...dashboards, ['helm/tidemark/files/rules/tidemark.yaml', rules] as const]);
}
