import type { Measured } from './change-log.ts';

export interface CanaryState extends Measured {
  readonly limitSeconds: number;
  /** Runs that could not be started. */
  readonly refusedRuns: number;
}

/** Returns the metrics of the canary in the text format of Prometheus. */
export function renderMetrics({
  arrived,
  late,
  latencySeconds,
  waitingSeconds,
  limitSeconds,
  refusedRuns,
}: CanaryState): string {
  const metric = (name: string, type: string, help: string, lines: readonly string[]): string[] => [
    `# HELP tidemark_canary_${name} ${help}`,
    `# TYPE tidemark_canary_${name} ${type}`,
    ...lines.map((line) => `tidemark_canary_${name}${line}`),
  ];
  return `${[
    ...metric(
      'changes_total',
      'counter',
      'Changes of the canary’s site whose webhook arrived, within the limit or later.',
      [`{outcome="arrived"} ${arrived}`, `{outcome="late"} ${late}`],
    ),
    ...metric('runs_refused_total', 'counter', 'Runs of the canary that could not be started.', [` ${refusedRuns}`]),
    ...metric('waiting_seconds', 'gauge', 'Age of the oldest change whose webhook has not arrived; 0 if none waits.', [
      ` ${waitingSeconds.toFixed(3)}`,
    ]),
    ...metric('limit_seconds', 'gauge', 'Time within which a change must arrive.', [` ${limitSeconds}`]),
    ...(latencySeconds === undefined
      ? []
      : metric('latency_seconds', 'gauge', 'Time from the newest change that arrived to its webhook.', [
          ` ${latencySeconds.toFixed(3)}`,
        ])),
  ].join('\n')}\n`;
}
