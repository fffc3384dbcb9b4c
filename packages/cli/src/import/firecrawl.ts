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

/** Settings that all targets of a monitor share. */
function settingsOf(monitor: Monitor): { readonly settings: Omit<NewProject, 'seed'>; readonly lost: string[] } {
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
  const notCarried = lost.map((what) => `${label}: ${what}`);
  const projects: NewProject[] = [];
  for (const target of targets) {
    const kind = textOf(target['type']);
    const urls = [...textsOf(target['urls']), textOf(target['url'])].filter((url) => url !== '');
    if (kind === 'crawl') {
      const [seed = ''] = urls;
      const options = recordAt(target, 'crawlOptions');
      const limit = Number(options['limit'] ?? target['limit']);
      const config = { ...settings.config, ...(limit > 0 ? { max_pages: limit } : {}) };
      if (webUrl(seed) === undefined) notCarried.push(`${label}: crawl target without a URL`);
      else projects.push({ ...settings, seed, config });
    } else if (kind === 'scrape' || kind === '') {
      const made = projectsOf(urls.map((url) => ({ url, settings })));
      projects.push(...made.projects);
      notCarried.push(...made.invalid);
    } else notCarried.push(`${label}: target of type ${kind}`);
  }
  return { projects, notCarried };
}

/** Returns the projects for monitors of Firecrawl: one per crawl target, one per host of scrape targets. */
export function fromFirecrawl(source: unknown): ImportPlan {
  const plans = monitorsOf(source).map(projectsOfMonitor);
  return { projects: plans.flatMap((plan) => plan.projects), notCarried: plans.flatMap((plan) => plan.notCarried) };
}
