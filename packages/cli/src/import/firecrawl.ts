import type { NewProject } from '@tidemark/sdk';
import { type ImportPlan, isRecord, projectsOf, textOf, textsOf, webUrl } from './plan.ts';

type Monitor = Readonly<Record<string, unknown>>;

/** Returns the monitors of a `GET /v2/monitor` response, or of a list of monitors. */
function monitorsOf(source: unknown): Monitor[] {
  if (Array.isArray(source)) return source.filter(isRecord);
  if (!isRecord(source)) return [];
  const found = source['data'] ?? source['monitors'];
  return Array.isArray(found) ? found.filter(isRecord) : 'targets' in source ? [source] : [];
}

const recordAt = (record: Monitor, key: string): Monitor => (isRecord(record[key]) ? record[key] : {});

type SharedSettings = Omit<NewProject, 'seed'>;

/** Returns the settings that all targets of a monitor share, and what is lost. */
function settingsOf(monitor: Monitor): { readonly settings: SharedSettings; readonly lost: string[] } {
  const schedule = recordAt(monitor, 'schedule');
  const cron = textOf(schedule['cron']) || textOf(monitor['cron']);
  const timezone = textOf(schedule['timezone']) || textOf(monitor['timezone']);
  const retention = Number(monitor['retentionDays']);
  const email = recordAt(recordAt(monitor, 'notification'), 'email');
  const recipients = textsOf(email['recipients'] ?? monitor['recipients']);
  const webhook = textOf(recordAt(monitor, 'webhook')['url']) || textOf(monitor['webhook']);
  const isPaused = textOf(monitor['status']) === 'paused';
  const name = textOf(monitor['name']);
  const settings = {
    ...(name === '' ? {} : { name }),
    schedule: isPaused || cron === '' ? 'manual' : cron,
    ...(timezone === '' ? {} : { timezone }),
    ...(retention > 0 ? { retention } : {}),
    config: {
      ...(webhook === '' ? {} : { webhook_url: webhook }),
      ...(recipients.length === 0 ? {} : { notify_emails: recipients }),
    },
  };
  const goal = textOf(monitor['goal']);
  return {
    settings,
    lost: goal === '' ? [] : [`goal "${goal}": set change_digest with a connection of a language model`],
  };
}

function projectsOfMonitor(monitor: Monitor): ImportPlan {
  const { settings, lost } = settingsOf(monitor);
  const targets = Array.isArray(monitor['targets']) ? monitor['targets'].filter(isRecord) : [];
  const label = textOf(monitor['name']) || textOf(monitor['id']) || 'monitor';
  const plans = targets.map((target) => planOfTarget(target, settings, label));
  return {
    projects: plans.flatMap(({ projects }) => projects),
    notCarried: [...lost.map((what) => `${label}: ${what}`), ...plans.flatMap(({ notCarried }) => notCarried)],
  };
}

/** Returns the project of a crawled site, or a project for each scraped page. `label`: the name of the monitor. */
function planOfTarget(target: Monitor, settings: SharedSettings, label: string): ImportPlan {
  const kind = textOf(target['type']);
  const urls = [...textsOf(target['urls']), textOf(target['url'])].filter((url) => url !== '');
  if (kind === 'crawl') {
    const [seed = ''] = urls;
    if (webUrl(seed) === undefined) return { projects: [], notCarried: [`${label}: crawl target without a URL`] };
    const limit = Number(recordAt(target, 'crawlOptions')['limit'] ?? target['limit']);
    const config = { ...settings.config, ...(limit > 0 ? { max_pages: limit } : {}) };
    return { projects: [{ ...settings, seed, config }], notCarried: [] };
  }
  if (kind !== 'scrape' && kind !== '') return { projects: [], notCarried: [`${label}: target of type ${kind}`] };
  const { projects, invalid } = projectsOf(urls.map((url) => ({ url, settings })));
  return { projects, notCarried: invalid };
}

/** Returns the projects for monitors of Firecrawl: one per crawl target, one per host of scrape targets. */
export function fromFirecrawl(source: unknown): ImportPlan {
  const plans = monitorsOf(source).map(projectsOfMonitor);
  return { projects: plans.flatMap((plan) => plan.projects), notCarried: plans.flatMap((plan) => plan.notCarried) };
}
