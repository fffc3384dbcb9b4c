/** Rules of alerts as forms, and back. A shape that has no form is undefined: it is edited as JSON. */
type Values = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const CHANNELS = ['webhook', 'chat', 'mail'] as const;
export type Channel = (typeof CHANNELS)[number];
export const DELIVERIES = ['now', 'daily', 'weekly'] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** A rule while it is edited. */
export interface AlertRow {
  readonly id: string;
  readonly name: string;
  readonly when: string;
  readonly channels: readonly Channel[];
  readonly initial: boolean;
  /** Minutes. */
  readonly cooldown: string;
  readonly deliver: Delivery;
  readonly at: string;
  /** Both empty: no quiet hours. */
  readonly quietFrom: string;
  readonly quietTo: string;
}

const KEYS = ['id', 'name', 'when', 'channels', 'initial', 'cooldown_minutes', 'deliver', 'at', 'quiet'];
const COOLDOWN = 1_440;
const AT = '08:00';

/** Returns a new rule, whose id no other rule has. */
export function blankAlert(rows: readonly AlertRow[]): AlertRow {
  let number = rows.length + 1;
  while (rows.some(({ id }) => id === `rule-${number}`)) number += 1;
  return {
    id: `rule-${number}`,
    name: '',
    when: '',
    channels: CHANNELS,
    initial: false,
    cooldown: String(COOLDOWN),
    deliver: 'now',
    at: AT,
    quietFrom: '',
    quietTo: '',
  };
}

export function readAlerts(text: string): readonly AlertRow[] | undefined {
  const value = readJson(text);
  if (!Array.isArray(value)) return undefined;
  const rows = value.map((one: unknown) => (isObject(one) ? readAlert(one) : undefined));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function readJson(text: string): unknown {
  if (text.trim() === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readAlert(rule: Values): AlertRow | undefined {
  const { deliver = 'now', channels = CHANNELS, cooldown_minutes: cooldown = COOLDOWN, quiet = {} } = rule;
  const delivery = DELIVERIES.find((one) => one === deliver);
  const isKnown = Object.keys(rule).every((key) => KEYS.includes(key));
  if (!isKnown || delivery === undefined || !Array.isArray(channels) || !isObject(quiet)) return undefined;
  return {
    id: textIn(rule['id']),
    name: textIn(rule['name']),
    when: textIn(rule['when']),
    channels: CHANNELS.filter((channel) => channels.includes(channel)),
    initial: rule['initial'] === true,
    cooldown: String(cooldown),
    deliver: delivery,
    at: textIn(rule['at'] ?? AT),
    quietFrom: textIn(quiet['from']),
    quietTo: textIn(quiet['to']),
  };
}

/** Returns the value as JSON, without what has its default. */
export const writeAlerts = (rows: readonly AlertRow[]): string => JSON.stringify(rows.map(writeAlert), null, 2);

function writeAlert(row: AlertRow): Values {
  const { id, name, when, channels, initial, cooldown, deliver, at, quietFrom, quietTo } = row;
  return {
    id,
    name,
    when,
    ...(channels.length === CHANNELS.length ? {} : { channels }),
    ...(initial ? { initial } : {}),
    ...(cooldown === '' || Number(cooldown) === COOLDOWN ? {} : { cooldown_minutes: Number(cooldown) }),
    ...(deliver === 'now' ? {} : { deliver, at }),
    ...(quietFrom === '' && quietTo === '' ? {} : { quiet: { from: quietFrom, to: quietTo } }),
  };
}
