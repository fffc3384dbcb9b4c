import { type Counter, metrics } from '@opentelemetry/api';

export interface InstrumentText {
  /** What the value is, for dashboards and `# HELP`. */
  readonly description: string;
  /** Of UCUM: `s`, `By`; absent: a number of things. */
  readonly unit?: string;
}

type Labels = Readonly<Record<string, string>>;

/** A value of a gauge. */
export interface GaugeValue {
  readonly value: number;
  readonly labels?: Labels;
}

const meter = () => metrics.getMeter('tidemark');

/** Registers a gauge whose values are read at each scrape of the metrics. Values that can not be read are omitted. */
export function observeGauge(
  name: string,
  text: InstrumentText,
  read: () => readonly GaugeValue[] | Promise<readonly GaugeValue[]>,
): void {
  meter()
    .createObservableGauge(name, text)
    .addCallback(async (result) => {
      const [values] = await Promise.allSettled([read()]);
      if (values.status === 'rejected') return;
      for (const { value, labels } of values.value) result.observe(value, labels);
    });
}

/** Registers a counter whose total is read at each scrape of the metrics. `_total` is appended to its name. */
export function observeTotal(name: string, text: InstrumentText, read: () => readonly GaugeValue[]): void {
  meter()
    .createObservableCounter(name, text)
    .addCallback((result) => {
      for (const { value, labels } of read()) result.observe(value, labels);
    });
}

/** Returns a function that adds to a counter. `_total` is appended to its name. */
export function counter(name: string, text: InstrumentText): (labels: Labels, by?: number) => void {
  // Created at the first use: a meter created before the SDK starts would stay a no-op.
  let created: Counter | undefined;
  return (labels, by = 1) => {
    created ??= meter().createCounter(name, text);
    created.add(by, { ...labels });
  };
}

const DURATION_BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Returns a function that records durations in a histogram, seconds. */
export function durations(name: string, description: string): (labels: Labels, seconds: number) => void {
  let created: ReturnType<ReturnType<typeof meter>['createHistogram']> | undefined;
  return (labels, seconds) => {
    created ??= meter().createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: DURATION_BOUNDS },
    });
    created.record(seconds, { ...labels });
  };
}
