/** A query of a panel, in PromQL. `$__rate_interval` is a variable of Grafana: four times the interval of the scrapes. */
export interface Query {
  readonly expr: string;
  /** Name of a series in the legend, with labels in double braces. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** What the value is, and what a bad one means. */
  readonly description: string;
  /** Of Grafana: `s`, `bytes`, `percentunit`, `reqps`, `short`, `cps`. */
  readonly unit: 's' | 'bytes' | 'percentunit' | 'reqps' | 'short' | 'cps';
  readonly queries: readonly Query[];
}

export interface Dashboard {
  /** File name and identifier. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly panels: readonly Panel[];
}

export const panel = (
  title: string,
  unit: Panel['unit'],
  description: string,
  queries: readonly Query[] | Query,
): Panel => ({ title, unit, description, queries: Array.isArray(queries) ? queries : [queries as Query] });

export const query = (expr: string, legend = ''): Query => ({ expr, legend });

/** Returns the expression of a quantile of a histogram, by labels. */
export const quantile = (q: number, metric: string, by: string, selector = ''): string =>
  `histogram_quantile(${q}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${metric}_bucket${selector}[$__rate_interval])))`;
