import { z } from 'zod';
import { serviceOf } from './chat-service.ts';
import { JsonObject } from './config-values.ts';
import { MaskedUrl } from './masked-url.ts';
import { WebUrl } from './parts.ts';

/** What a project tells of, beside a crawl's own events. */
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
  'sitemap.added',
  'sitemap.removed',
  'sitemap.updated',
  'sitemap.file_added',
  'sitemap.file_removed',
] as const;

/** An incoming webhook, of a chat service messages can be shaped for. */
const ChatUrl = WebUrl.check((ctx) => {
  const known = serviceOf(ctx.value);
  if ('reason' in known)
    ctx.issues.push({ code: 'custom', message: known.reason, input: ctx.value, params: { type: 'url' } });
});

/** The keys of the group `advanced`: who is told of what a run brought. */
export const ADVANCED_KEYS = {
  webhook_url: { group: 'advanced', schema: WebUrl, fallback: null, says: 'where events are sent, signed' },
  webhook_events: {
    group: 'advanced',
    schema: z.array(z.enum(PROJECT_EVENTS)).max(PROJECT_EVENTS.length),
    fallback: [],
    says: 'the events to send; all of them where none is named',
  },
  webhook_metadata: {
    group: 'advanced',
    schema: JsonObject,
    fallback: {},
    says: 'echoed on every message',
  },
  notify_min_words: {
    group: 'advanced',
    schema: z.int().min(0).max(100_000),
    fallback: 0,
    says: 'a modified page is reported only when its edit reaches this many words',
  },
  notify_emails: {
    group: 'advanced',
    schema: z.array(z.email('expected an e-mail address').max(254)).max(20),
    fallback: [],
    says: 'who is written to when a run ends with something to report',
  },
  chat_url: {
    group: 'advanced',
    schema: z.union([z.literal(''), MaskedUrl, ChatUrl]),
    fallback: null,
    masked: true,
    says: 'the incoming webhook of a chat channel (Slack, Microsoft Teams, Discord, Mattermost, Google Chat); shown masked, a masked value sent back keeps the stored one, an empty one removes it',
  },
  change_digest: {
    group: 'advanced',
    schema: z
      .strictObject({
        connection_id: z.string().min(1).max(100).describe('A language-model connection of the workspace'),
        focus: z.string().max(2_000).optional().describe('What the digest is to look at'),
      })
      .meta({ id: 'ChangeDigest' }),
    fallback: null,
    says: 'a model’s summary of what changed, charged to the customer’s own key',
  },
} as const;
