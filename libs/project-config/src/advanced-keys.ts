import { assumeHttps, MAX_URL_CHARS, parseWebUrl } from '@tidemark/web-url';
import { z } from 'zod';
import { AlertRules } from './alert-rule.ts';
import { ACCEPTED_CHAT_URLS, serviceOf } from './chat-service.ts';
import { JsonObject } from './config-values.ts';
import { MaskedUrl } from './masked-url.ts';

/** Events of a project; a crawl has events of its own. */
export const PROJECT_EVENTS = [
  'run.finished',
  'page.changed',
  'page.blocked',
  'field.canonical',
  'site.failing',
  'site.recovered',
  'map.completed',
  'page.orphaned',
  'page.linked',
  'alert.matched',
  'sitemap.added',
  'sitemap.removed',
  'sitemap.updated',
  'sitemap.file_added',
  'sitemap.file_removed',
  'sync.finished',
  'sync.failed',
  'credits.low',
] as const;

/** URL of an incoming webhook of a supported chat service, its mask, or an empty text. */
const ChatUrl = z
  .string(`expected ${ACCEPTED_CHAT_URLS}`)
  .overwrite(assumeHttps)
  .max(MAX_URL_CHARS)
  .check((ctx) => {
    if (ctx.value === '' || MaskedUrl.safeParse(ctx.value).success) return;
    const parsed = parseWebUrl(ctx.value);
    const known = parsed.ok ? serviceOf(ctx.value) : parsed;
    if ('reason' in known)
      ctx.issues.push({ code: 'custom', message: known.reason, input: ctx.value, params: { type: 'url' } });
  });

/** URL of a webhook, or an empty text, which removes the stored one. */
const WebhookUrl = z
  .string('expected an http or https URL')
  .overwrite(assumeHttps)
  .check((ctx) => {
    const parsed = ctx.value === '' ? undefined : parseWebUrl(ctx.value);
    if (parsed?.ok === false)
      ctx.issues.push({ code: 'custom', message: parsed.reason, input: ctx.value, params: { type: 'url' } });
  })
  .meta({ example: 'https://example.com/hook' });

/** Keys of the group `advanced`: notifications about runs. */
export const ADVANCED_KEYS = {
  webhook_url: {
    group: 'advanced',
    schema: WebhookUrl,
    fallback: null,
    secret: 'url_tokens',
    description:
      'URL that receives signed events; query values and path segments that may be tokens are returned as ***, the masked URL sent back keeps the stored one, and an empty string removes it',
  },
  webhook_events: {
    group: 'advanced',
    schema: z.array(z.enum(PROJECT_EVENTS)).max(PROJECT_EVENTS.length),
    fallback: [],
    description: 'events to send; all if empty',
  },
  webhook_metadata: {
    group: 'advanced',
    schema: JsonObject,
    fallback: {},
    description: 'object echoed in every message',
  },
  notify_min_words: {
    group: 'advanced',
    schema: z.int().min(0).max(100_000),
    fallback: 0,
    description: 'a modified page is reported only if the edit reaches this many words',
  },
  notify_emails: {
    group: 'advanced',
    schema: z.array(z.email('expected an e-mail address').max(254)).max(20),
    fallback: [],
    description: 'addresses that receive a mail when a run ends with something to report',
  },
  chat_url: {
    group: 'advanced',
    schema: ChatUrl,
    fallback: null,
    secret: 'address',
    description:
      'incoming webhook of a chat channel (Slack, Microsoft Teams, Discord, Mattermost, Google Chat); returned masked; a masked value keeps the stored one, an empty string removes it',
  },
  alerts: {
    group: 'advanced',
    schema: AlertRules,
    fallback: [],
    description:
      'conditions on changes; a match is marked in the record and sent as alert.matched. A list that is sent replaces the saved one',
  },
  change_digest: {
    group: 'advanced',
    schema: z
      .strictObject({
        connection_id: z.string().min(1).max(100).describe('A language-model connection of the workspace'),
        focus: z.string().max(2_000).optional().describe('What the digest focuses on'),
      })
      .meta({ id: 'ChangeDigest' }),
    fallback: null,
    description: 'summary of the changes by a language model, charged to the customer’s own key',
  },
} as const;
