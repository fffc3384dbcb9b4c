import { withinPath } from './crawl-scope.ts';
import { type FieldNames, namesOf } from './field-names.ts';
import { crawlFields } from './job-requests.ts';
import { cronOfText } from './monitor-schedule.ts';
import { refuseOption, refuseValue } from './refusal.ts';
import { pageFields } from './scrape-options.ts';
import {
  entryOf,
  type Fields,
  fieldOf,
  flagAt,
  ignored,
  listAt,
  objectAt,
  type Settings,
  type Translated,
  textAt,
  toRequest,
  translate,
  unsupported,
} from './translate.ts';

const EVENTS: Readonly<Record<string, string>> = {
  'monitor.page': 'page.changed',
  'monitor.check.completed': 'run.finished',
};

/** Keys of the configuration of a project for the fields of a crawl. */
const CRAWL_KEYS: Readonly<Record<string, string>> = {
  limit: 'max_pages',
  maxDepth: 'max_depth',
  includePaths: 'include_paths',
  excludePaths: 'exclude_paths',
  allowSubdomains: 'allow_subdomains',
  concurrency: 'concurrency',
  delay: 'delay_ms',
  respectRobots: 'respect_robots',
  sitemapMode: 'sitemap_mode',
};

const schedule = fieldOf('`schedule`: cron, or text; `timezone`', (value, name) => {
  const { cron, text, timezone, ...others } = objectAt(value, name);
  for (const other of Object.keys(others)) refuseOption(`${name}.${other}`);
  if (cron === undefined && text === undefined) refuseValue(name, 'cron or text');
  const expression =
    cron === undefined ? cronOfText(textAt(text, `${name}.text`), `${name}.text`) : textAt(cron, `${name}.cron`);
  return {
    request: {
      schedule: expression,
      ...(timezone === undefined ? {} : { timezone: textAt(timezone, `${name}.timezone`) }),
    },
  };
});

const webhook = fieldOf(
  `\`config.webhook_url\`, \`config.webhook_events\`, \`config.webhook_metadata\`: ${Object.entries(EVENTS)
    .map((pair) => pair.join(' → '))
    .join(', ')}`,
  (value, name) => {
    const { url, events, metadata, headers, ...others } = objectAt(value, name);
    if (headers !== undefined && Object.keys(objectAt(headers, `${name}.headers`)).length > 0)
      refuseOption(`${name}.headers`, 'messages are signed instead; use metadata for values of your own');
    for (const other of Object.keys(others)) refuseOption(`${name}.${other}`);
    const eventAt = (event: unknown, at: number): string => {
      const where = `${name}.events[${at}]`;
      return entryOf(EVENTS, textAt(event, where)) ?? refuseValue(where, Object.keys(EVENTS).join(', '));
    };
    const chosen = events === undefined ? Object.values(EVENTS) : listAt(events, `${name}.events`).map(eventAt);
    return {
      config: {
        webhook_url: textAt(url, `${name}.url`),
        webhook_events: chosen,
        ...(metadata === undefined ? {} : { webhook_metadata: metadata }),
      },
    };
  },
);

const notification = fieldOf('`config.notify_emails`: the recipients of email', (value, name) => {
  const { email, ...channels } = objectAt(value, name);
  for (const other of Object.keys(channels)) refuseOption(`${name}.${other}`);
  if (email === undefined) return {};
  const where = `${name}.email`;
  const { enabled, recipients, includeDiffs, ...others } = objectAt(email, where);
  for (const other of Object.keys(others)) refuseOption(`${where}.${other}`);
  if (includeDiffs === true) refuseOption(`${where}.includeDiffs`, 'mails list the changed pages with a link to each');
  const isOn = enabled === undefined || flagAt(enabled, `${where}.enabled`);
  if (isOn && recipients === undefined) refuseValue(`${where}.recipients`, 'a list of addresses');
  return { config: { notify_emails: isOn ? listAt(recipients, `${where}.recipients`) : [] } };
});

function scrapeTarget({ urls: given, scrapeOptions }: Settings, where: string): Translated {
  const urls = listAt(given, `${where}.urls`).map((url, at) => textAt(url, `${where}.urls[${at}]`));
  const [first = ''] = urls;
  if (!URL.canParse(first)) refuseValue(`${where}.urls`, 'a list of http or https URLs');
  const { config } = translate(scrapeOptions ?? {}, pageFields('v2'), `${where}.scrapeOptions`);
  const list = { crawl_mode: 'list_only', url_list: urls, max_pages: urls.length };
  return { request: { seed: new URL('/', first).href }, config: { ...config, ...list } };
}

function crawlTarget({ url: given, crawlOptions, scrapeOptions }: Settings, where: string): Translated {
  const url = textAt(given, `${where}.url`);
  const { url: _, webhook: __, scrapeOptions: ___, ...fields } = crawlFields('v2');
  const { request } = translate(crawlOptions ?? {}, fields, `${where}.crawlOptions`);
  const { config } = translate(scrapeOptions ?? {}, pageFields('v2'), `${where}.scrapeOptions`);
  const scoped = Object.entries(withinPath({ ...request, url })).flatMap(([key, value]) => {
    const name = entryOf(CRAWL_KEYS, key);
    return name === undefined ? [] : [[name, value] as const];
  });
  return { request: { seed: url }, config: { ...config, ...Object.fromEntries(scoped) } };
}

/** A monitor is one project, which has one site. */
const targets = fieldOf(
  'one target: scrape is `config.url_list` with crawl_mode list_only, crawl is the seed with its options; search is refused',
  (value, name) => {
    const list = listAt(value, name);
    if (list.length !== 1)
      refuseOption(`${name} with ${list.length} entries`, 'create a monitor for each target: it is one project here');
    const where = `${name}[0]`;
    const { type, id: _, ...target } = objectAt(list[0], where);
    const known: Readonly<Record<string, readonly string[]>> = {
      scrape: ['urls', 'scrapeOptions'],
      crawl: ['url', 'crawlOptions', 'scrapeOptions'],
    };
    const options = entryOf(known, textAt(type, `${where}.type`));
    if (options === undefined) refuseOption(`${where} of type ${String(type).slice(0, 40)}`, 'send scrape or crawl');
    for (const key of Object.keys(target)) if (!options.includes(key)) refuseOption(`${where}.${key}`);
    return type === 'scrape' ? scrapeTarget(target, where) : crawlTarget(target, where);
  },
);

const goal = fieldOf('`config.change_digest` with the focus, through the only model connection', (value, name) => {
  const focus = textAt(value, name);
  return focus === '' ? {} : { config: { change_digest: { focus } } };
});

export const monitorFields = (): Fields => ({
  name: toRequest('name'),
  schedule,
  webhook,
  notification,
  targets,
  goal,
  retentionDays: toRequest('retention'),
  judgeEnabled: unsupported('the goal adds a summary to the change record; no page is rated'),
  origin: ignored,
  integration: ignored,
});

/** Translates the body of POST /monitor. @throws Refusal */
export function toProjectBody(body: unknown): Settings {
  const { request, config } = translate(body, monitorFields());
  if (request['schedule'] === undefined) refuseValue('schedule', 'cron or text');
  if (request['seed'] === undefined) refuseValue('targets', 'one target');
  return { ...request, config };
}

/** Keys that `null` returns to their defaults, by the field of a monitor. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  webhook: ['webhook_url', 'webhook_events', 'webhook_metadata'],
  notification: ['notify_emails'],
  goal: ['change_digest'],
};

/** Translates the body of PATCH /monitor/{id}. `seed` is that of the project, which can not change. @throws Refusal */
export function toProjectPatch(body: unknown, seed: string): Settings {
  const { status, ...fields } = objectAt(body, 'body');
  const { request, config } = translate(fields, monitorFields());
  const { seed: requested, ...settings } = request;
  if (requested !== undefined && requested !== seed)
    refuseOption('targets of another site', `the target of this monitor is ${seed}: create another monitor`);
  if (status !== undefined && status !== 'active' && status !== 'paused') refuseValue('status', 'active or paused');
  if (status === 'active' && settings['schedule'] === undefined)
    refuseOption('status: active without a schedule', 'send the schedule with it');
  const nulls = Object.entries(REMOVED).flatMap(([field, keys]) => (fields[field] === null ? keys : []));
  const changed = { ...config, ...Object.fromEntries(nulls.map((key) => [key, null])) };
  return {
    ...settings,
    ...(status === 'paused' ? { schedule: 'manual' } : {}),
    ...(Object.keys(changed).length === 0 ? {} : { config: changed }),
  };
}

export const monitorNames = (): FieldNames => namesOf(monitorFields());
