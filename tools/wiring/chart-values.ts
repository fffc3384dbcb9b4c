import { DEFAULT_THRESHOLD, DESCRIPTIONS, SECRETS, STORES } from '../../deploy/services.ts';
import { flowYaml } from './flow-yaml.ts';
import type { ServiceCode, SettingOfCode } from './read-code.ts';

/** Comments of the chart on settings of several services. */
const NOTES: Readonly<Record<string, string>> = {
  TIDEMARK_OWN_PORTS: 'null: those of the services and the stores.',
};

/** Returns the entries of `services` in the values of the chart. */
export const chartServices = (services: readonly ServiceCode[]): string => services.map(chartService).join('\n\n');

/** Returns the values of one service: its calls, settings, ports and consumers from its code, the rest from its description. */
function chartService({ name, settings, shape, calls, listens, consumers }: ServiceCode): string {
  const { web, connects, chart } = DESCRIPTIONS[name];
  const notes: Readonly<Record<string, string>> = { ...NOTES, ...chart.notes };
  const offered = settings.filter(({ key }) => key in shape);
  const secrets = offered.filter(({ key }) => SECRETS.includes(key));
  const ports = Object.entries(listens).filter(([key]) => settings.some((setting) => setting.key === key));
  const others = offered.filter(({ key }) => !(SECRETS.includes(key) || key.endsWith('_ADDR') || key in listens));
  const noted = secrets.filter(({ key }) => notes[key] !== undefined);
  return [
    `  ${name}:`,
    ...(calls.length > 0 ? [`    calls: ${flowYaml(calls)}`] : []),
    ...(connects === undefined ? [] : [`    connects: ${flowYaml(connects)}`]),
    ...(web === 'always' ? ['    web: true'] : []),
    ...noted.map(({ key }) => `    # ${key}: ${notes[key]}`),
    ...(secrets.length > 0 ? [`    secrets: ${flowYaml(secretsOf(secrets))}`] : []),
    ...(ports.length > 0 ? [`    listens: ${flowYaml(Object.fromEntries(ports))}`] : []),
    '    config:',
    ...others.flatMap((setting) => [
      `      # ${commentOf(setting, notes[setting.key])}`,
      `      ${setting.key}: ${flowYaml(chart.config?.[setting.key] ?? null)}`,
    ]),
    ...Object.entries(chart.values ?? {}).map(([key, value]) => `    ${key}: ${flowYaml(value)}`),
    ...autoscaling(chart, consumers),
  ].join('\n');
}

function commentOf({ meaning, defaultText, fallback = '' }: SettingOfCode, note: string | undefined): string {
  const byDefault = defaultText ?? fallback;
  return [meaning, ...(byDefault === '' ? [] : [`Default: ${byDefault}.`]), ...(note === undefined ? [] : [note])].join(
    ' ',
  );
}

const secretsOf = (secrets: readonly SettingOfCode[]): Readonly<Record<string, { readonly optional?: true }>> =>
  Object.fromEntries(
    secrets.map(({ key, isRequired }) => [key, isRequired || STORES.includes(key) ? {} : { optional: true }]),
  );

function autoscaling(
  { maxReplicas, thresholds = {} }: (typeof DESCRIPTIONS)['scrape']['chart'],
  consumers: readonly string[],
): string[] {
  const lag = consumers.map((one) => {
    const [stream = '', consumer = ''] = one.split('/');
    return `        - ${flowYaml({ stream, consumer, threshold: thresholds[consumer] ?? DEFAULT_THRESHOLD })}`;
  });
  if (maxReplicas === undefined && lag.length === 0) return [];
  return [
    '    autoscaling:',
    ...(maxReplicas === undefined ? [] : ['      enabled: true']),
    ...(typeof maxReplicas === 'number' ? [`      maxReplicas: ${maxReplicas}`] : []),
    ...(lag.length > 0 ? ['      lag:', ...lag] : []),
  ];
}
