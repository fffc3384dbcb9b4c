import { actions } from './actions.ts';
import { type FieldNames, namesOf } from './field-names.ts';
import { formats } from './formats.ts';
import { refuseOption, refuseValue } from './refusal.ts';
import {
  entryOf,
  type Fields,
  fieldOf,
  flagAt,
  ignored,
  isObject,
  listAt,
  numberAt,
  objectAt,
  type Settings,
  seconds,
  textAt,
  toConfig,
  toRequest,
  unsupported,
} from './translate.ts';

/** Maximum of `max_age_seconds` and of the seconds that a request waits. */
const MAX_AGE_SECONDS = 31_536_000;
const MAX_WAIT_SECONDS = 120;

const PROXIES: Readonly<Record<string, string>> = {
  basic: 'never',
  stealth: 'always',
  enhanced: 'always',
  auto: 'auto',
};

const proxyRule = Object.entries(PROXIES).map(([name, becomes]) => `${name} → ${becomes}`);
const proxy = fieldOf(`\`config.use_proxy\`: ${proxyRule.join(', ')}`, (value, name) => {
  const known = entryOf(PROXIES, textAt(value, name));
  return known === undefined ? refuseValue(name, Object.keys(PROXIES).join(', ')) : { config: { use_proxy: known } };
});

const maxAge = fieldOf('`config.max_age_seconds`, ÷ 1,000; without it every page is fetched', (value, name) => ({
  config: { max_age_seconds: Math.min(MAX_AGE_SECONDS, Math.floor(numberAt(value, name) / 1_000)) },
}));

const location = fieldOf('`config.country`, and `config.headers` with Accept-Language', (value, name) => {
  const { country, languages, ...others } = objectAt(value, name);
  for (const other of Object.keys(others)) refuseOption(`${name}.${other}`);
  const tags = languages === undefined ? [] : listAt(languages, `${name}.languages`);
  const accepted = tags.map((tag, at) => textAt(tag, `${name}.languages[${at}]`)).join(', ');
  return {
    config: {
      ...(country === undefined ? {} : { country: textAt(country, `${name}.country`) }),
      ...(accepted === '' ? {} : { headers: { 'accept-language': accepted } }),
    },
  };
});

/** An empty list switches the parsers off. A PDF here is read from its text; other modes and page ranges are refused. */
const parsers = fieldOf(
  '`config.parse_documents`: an empty list is false; page ranges and OCR are refused',
  (value, name) => {
    const list = listAt(value, name);
    for (const [at, each] of list.entries()) {
      const where = `${name}[${at}]`;
      const given: Settings = isObject(each) ? each : { type: each };
      const { type, mode, ...options } = given;
      if (type !== 'pdf') refuseOption(`${where} of type ${String(type).slice(0, 40)}`, 'send pdf, or an empty list');
      if (mode !== undefined && mode !== 'fast' && mode !== 'auto')
        refuseOption(`${where}.mode`, 'expected fast or auto');
      for (const [option, setting] of Object.entries(options))
        if (setting !== undefined && setting !== false) refuseOption(`${where}.${option}`);
    }
    return { config: { parse_documents: list.length > 0 } };
  },
);

const waitFor = fieldOf('`config.wait_for`', (value, name) => {
  const ms = numberAt(value, name);
  return ms === 0 ? {} : { config: { wait_for: Math.ceil(ms) } };
});

const fastMode = fieldOf('`config.render_js` never', (value, name) =>
  flagAt(value, name) ? { config: { render_js: 'never' } } : {},
);
const mobile = fieldOf('`config.device` mobile', (value, name) => ({
  config: { device: flagAt(value, name) ? 'mobile' : 'desktop' },
}));

/** Options of a scrape of both versions, except `timeout`. */
const SHARED: Fields = {
  formats,
  actions,
  proxy,
  maxAge,
  location,
  waitFor,
  fastMode,
  mobile,
  headers: toConfig('headers'),
  includeTags: toConfig('include_selectors'),
  excludeTags: toConfig('exclude_selectors'),
  onlyMainContent: toConfig('only_main_content'),
  blockAds: toConfig('block_resources'),
  removeBase64Images: toConfig('remove_base64_images'),
  // Every SDK sends the first one; none of them changes the page.
  origin: ignored,
  integration: ignored,
  storeInCache: ignored,
  auditMetadata: ignored,
  toolDetail: ignored,
  skipTlsVerification: unsupported('certificates are always verified'),
  zeroDataRetention: unsupported('pages are stored for one day'),
  minAge: unsupported('use maxAge'),
  profile: unsupported('use a saved login of this service'),
  lockdown: unsupported(),
  redactPII: unsupported(),
  useMock: unsupported(),
  domainTools: unsupported(),
  threatProtection: unsupported(),
  checkPromptInjection: unsupported(),
};

const IN_FORMATS = unsupported('send {"type": "json", "schema": …} in formats');

/** Options of v1 that v2 has in another form. */
const ONLY_V1: Fields = {
  parsePDF: fieldOf('`config.parse_documents`', (value, name) => ({
    config: { parse_documents: flagAt(value, name) },
  })),
  jsonOptions: IN_FORMATS,
  extract: IN_FORMATS,
  changeTrackingOptions: unsupported(),
  agent: unsupported(),
  geolocation: location,
};

export type Version = 'v1' | 'v2';

const optionsOf = (version: Version): Fields => (version === 'v1' ? { ...SHARED, ...ONLY_V1 } : { ...SHARED, parsers });

/** Fields of a single scrape: `timeout` is how long the request waits. Beyond the maximum the response is 408, and the job continues. */
export const scrapeFields = (version: Version): Fields => ({
  ...optionsOf(version),
  url: toRequest('url'),
  timeout: fieldOf(
    `\`timeout\`, ÷ 1,000, at most ${MAX_WAIT_SECONDS}; then 408, and the job continues`,
    (value, name) => ({
      request: { timeout: seconds(numberAt(value, name), MAX_WAIT_SECONDS) },
    }),
  ),
});

/** Fields of the scrape options of a crawl or a batch: `timeout` limits each fetch. */
export const pageFields = (version: Version): Fields => ({
  ...optionsOf(version),
  timeout: fieldOf('`config.timeout_seconds`, ÷ 1,000', (value, name) => ({
    config: { timeout_seconds: seconds(numberAt(value, name), MAX_WAIT_SECONDS) },
  })),
});

export const scrapeNames = (version: Version): FieldNames => namesOf(scrapeFields(version));
