import type { NewProject } from '@tidemark/sdk';
import { type ImportPlan, isRecord, projectsOf, textOf, textsOf, type Watched } from './plan.ts';
import { scheduleOf } from './schedule.ts';

type Watch = Readonly<Record<string, unknown>>;

/** Settings of a watch that Tidemark has no counterpart for. */
const NOT_CARRIED = [
  'trigger_text',
  'ignore_text',
  'text_should_not_be_present',
  'extract_text',
  'conditions',
  'browser_steps',
  'body',
  'proxy',
];
/** The interval of changedetection.io where neither the watch nor the backup states one. */
const DEFAULT_INTERVAL = { hours: 3 };

/** Returns the watches of a backup (`url-watches.json`), of `GET /api/v1/watch`, or of one `watch.json`. */
function watchesOf(source: unknown): Watch[] {
  if (Array.isArray(source)) return source.filter(isRecord);
  if (!isRecord(source)) return [];
  if (isRecord(source['watching'])) return Object.values(source['watching']).filter(isRecord);
  return typeof source['url'] === 'string' ? [source] : Object.values(source).filter(isRecord);
}

const intervalOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isRecord(value) && Object.values(value).some((part) => Number(part) > 0) ? value : undefined;

/** The default interval of a backup. */
function defaultInterval(source: unknown): Readonly<Record<string, unknown>> {
  const settings = isRecord(source) && isRecord(source['settings']) ? source['settings'] : {};
  const requests = isRecord(settings['requests']) ? settings['requests'] : {};
  return intervalOf(requests['time_between_check']) ?? DEFAULT_INTERVAL;
}

/** Returns the incoming webhook of a chat service for a notification URL; undefined for other services. */
export function chatUrlOf(notification: string): string | undefined {
  const [, service = '', rest = ''] = /^(\w+):\/\/([^?]*)/.exec(notification) ?? [];
  const parts = rest
    .replace(/^[^/@]*@/, '')
    .split('/')
    .filter((part) => part !== '');
  if (service === 'slack' && parts.length >= 3) return `https://hooks.slack.com/services/${parts.slice(-3).join('/')}`;
  if (service === 'discord' && parts.length === 2) return `https://discord.com/api/webhooks/${parts.join('/')}`;
  if (/^https:\/\/(hooks\.slack\.com|discord\.com|[\w-]+\.webhook\.office\.com)\//.test(notification))
    return notification;
  return undefined;
}

const isCss = (selector: string): boolean => !/^(xpath\d?:|json:|jq:|jqraw:|\/)/.test(selector);

function headersOf(value: unknown): Record<string, string> {
  const given = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(given.map(([name, text]) => [name, String(text)]));
}

function watchedOf(watch: Watch, interval: Readonly<Record<string, unknown>>): { watched: Watched; lost: string[] } {
  const url = textOf(watch['url']);
  const include = textsOf(watch['include_filters']);
  const exclude = textsOf(watch['subtractive_selectors']);
  const headers = headersOf(watch['headers']);
  const tags = [...textsOf(watch['tags']), textOf(watch['tag'])].filter((tag) => tag !== '');
  const notifications = textsOf(watch['notification_urls']);
  const chat_url = notifications.map(chatUrlOf).find((found) => found !== undefined);
  const lost = [
    ...NOT_CARRIED.filter((key) => isGiven(watch[key])),
    ...[...include, ...exclude].filter((selector) => !isCss(selector)).map((selector) => `selector ${selector}`),
    ...notifications.filter((one) => chatUrlOf(one) === undefined).map((one) => `notification ${one.split(':')[0]}`),
    ...(watch['method'] !== undefined && watch['method'] !== 'GET' ? [`method ${textOf(watch['method'])}`] : []),
  ];
  const config: NonNullable<NewProject['config']> = {
    ...(include.some(isCss) ? { include_selectors: include.filter(isCss) } : {}),
    ...(exclude.some(isCss) ? { exclude_selectors: exclude.filter(isCss) } : {}),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(textOf(watch['fetch_backend']).includes('webdriver') ? { render_js: 'always' } : {}),
    ...(chat_url === undefined ? {} : { chat_url }),
  };
  const schedule =
    watch['paused'] === true ? 'manual' : scheduleOf(intervalOf(watch['time_between_check']) ?? interval);
  const [name] = tags;
  const settings = { ...(name === undefined ? {} : { name }), ...(schedule === undefined ? {} : { schedule }), config };
  return { watched: { url, settings }, lost: lost.map((what) => `${url}: ${what}`) };
}

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isRecord(value) ? Object.keys(value).length > 0 : textOf(value) !== '';

/** Returns the projects for the watches of changedetection.io. */
export function fromChangedetection(source: unknown): ImportPlan {
  const interval = defaultInterval(source);
  const read = watchesOf(source).map((watch) => watchedOf(watch, interval));
  const { projects, invalid } = projectsOf(read.map(({ watched }) => watched));
  return { projects, notCarried: [...read.flatMap(({ lost }) => lost), ...invalid] };
}
