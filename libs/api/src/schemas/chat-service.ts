/** Chat services whose incoming webhooks can be posted to. */
export const CHAT_SERVICES = ['slack', 'teams', 'discord', 'mattermost', 'google_chat'] as const;
export type ChatService = (typeof CHAT_SERVICES)[number];

export type KnownService = { readonly service: ChatService } | { readonly reason: string };

interface Webhooks {
  readonly service: ChatService;
  readonly host: RegExp;
  readonly path: RegExp;
  /** How its addresses look, for who gave another. */
  readonly looks: string;
}

const WEBHOOKS: readonly Webhooks[] = [
  {
    service: 'slack',
    host: /^hooks\.slack(-gov)?\.com$/,
    path: /^\/services\/[^/]+\/[^/]+\/[^/]+\/?$/,
    looks: 'hooks.slack.com/services/…',
  },
  {
    service: 'teams',
    host: /(^|\.)(webhook\.office\.com|logic\.azure\.com|environment\.api\.powerplatform\.com)$/,
    path: /^\/(webhookb2|.*\bworkflows)\/.+/,
    looks: '….logic.azure.com/workflows/… or ….api.powerplatform.com/…/workflows/…',
  },
  {
    service: 'discord',
    host: /^((canary|ptb)\.)?discord(app)?\.com$/,
    path: /^\/api(\/v\d+)?\/webhooks\/\d+\/[^/]+\/?$/,
    looks: 'discord.com/api/webhooks/…',
  },
  {
    service: 'google_chat',
    host: /^chat\.googleapis\.com$/,
    path: /^\/v1\/spaces\/[^/]+\/messages$/,
    looks: 'chat.googleapis.com/v1/spaces/…/messages',
  },
];
/** Mattermost is at home anywhere: its path tells. */
const MATTERMOST = /\/hooks\/[a-z0-9]{26}\/?$/;

/** Which chat service an incoming webhook is of, by its host and path, or why none is known for it. */
export function serviceOf(address: string): KnownService {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { reason: 'expected the http or https address of an incoming webhook' };
  const known = WEBHOOKS.find(({ host }) => host.test(url.hostname));
  if (known === undefined) {
    if (MATTERMOST.test(url.pathname)) return { service: 'mattermost' };
    const all = WEBHOOKS.map(({ looks }) => looks).join(', ');
    return {
      reason: `not an incoming webhook of a chat service that is known: ${all}, …/hooks/… of a Mattermost server`,
    };
  }
  if (url.protocol !== 'https:') return { reason: 'expected an https address' };
  if (known.path.test(url.pathname)) return { service: known.service };
  return { reason: `not an incoming webhook of ${known.service}, which looks like ${known.looks}` };
}
