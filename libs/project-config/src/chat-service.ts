/** Chat services whose incoming webhooks can be posted to. */
export const CHAT_SERVICES = ['slack', 'teams', 'discord', 'mattermost', 'google_chat'] as const;
export type ChatService = (typeof CHAT_SERVICES)[number];

export type KnownService = { readonly service: ChatService } | { readonly reason: string };

interface Webhooks {
  readonly service: ChatService;
  readonly host: RegExp;
  readonly path: RegExp;
  readonly title: string;
  /** Shape of its URLs, for error messages. */
  readonly shape: string;
}

const WEBHOOKS: readonly Webhooks[] = [
  {
    service: 'slack',
    title: 'Slack',
    host: /^hooks\.slack(-gov)?\.com$/,
    path: /^\/services\/[^/]+\/[^/]+\/[^/]+\/?$/,
    shape: 'hooks.slack.com/services/…',
  },
  {
    service: 'teams',
    title: 'Microsoft Teams',
    host: /(^|\.)(webhook\.office\.com|logic\.azure\.com|environment\.api\.powerplatform\.com)$/,
    path: /^\/(webhookb2|.*\bworkflows)\/.+/,
    shape: '….logic.azure.com/workflows/… or ….api.powerplatform.com/…/workflows/…',
  },
  {
    service: 'discord',
    title: 'Discord',
    host: /^((canary|ptb)\.)?discord(app)?\.com$/,
    path: /^\/api(\/v\d+)?\/webhooks\/\d+\/[^/]+\/?$/,
    shape: 'discord.com/api/webhooks/…',
  },
  {
    service: 'google_chat',
    title: 'Google Chat',
    host: /^chat\.googleapis\.com$/,
    path: /^\/v1\/spaces\/[^/]+\/messages$/,
    shape: 'chat.googleapis.com/v1/spaces/…/messages',
  },
];
/** Mattermost is self-hosted: only its path identifies it. */
const MATTERMOST = /\/hooks\/[a-z0-9]{26}\/?$/;

/** The accepted URLs, for error messages. */
export const ACCEPTED_CHAT_URLS = `the URL of an incoming webhook of ${WEBHOOKS.map(({ title, shape }) => `${title} (${shape})`).join(', ')} or Mattermost (…/hooks/… with a key of 26 characters)`;

/** Returns the chat service of an incoming webhook by host and path, or the reason why it is not supported. */
export function serviceOf(address: string): KnownService {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { reason: `expected ${ACCEPTED_CHAT_URLS}` };
  const known = WEBHOOKS.find(({ host }) => host.test(url.hostname));
  if (known === undefined) {
    if (MATTERMOST.test(url.pathname)) return { service: 'mattermost' };
    return { reason: `expected ${ACCEPTED_CHAT_URLS}` };
  }
  if (url.protocol !== 'https:') return { reason: `expected an https URL, because ${known.title} accepts no other` };
  if (known.path.test(url.pathname)) return { service: known.service };
  return { reason: `expected the URL of an incoming webhook of ${known.title}: ${known.shape}` };
}
