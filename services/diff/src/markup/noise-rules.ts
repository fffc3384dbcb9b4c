import type { Element } from '@tidemark/page-reader/source';
import { normalizeId, normalizeName } from './generated-names.ts';
import { attributeIn, textOf } from './markup-tree.ts';
import {
  isUrlAttribute,
  normalizeAssetUrl,
  normalizeNumbers,
  normalizeScript,
  normalizeTextTimestamps,
  normalizeTimestamps,
  withoutSessionIds,
} from './normalize-values.ts';

/**
 * A difference between two fetches of an unchanged page. Each rule removes one kind from both readings before they are
 * compared; the result counts what each rule removed.
 */
export interface NoiseRule {
  /** Key in `noiseSuppressed`. */
  readonly name: string;
  readonly matches: string;
  readonly effect: string;
  /** Elements that are left out with their content. */
  readonly drops?: (element: Element) => boolean;
  /** Returns an attribute value in normalised form; undefined: leave the attribute out. */
  readonly attribute?: (name: string, value: string, element: Element) => string | undefined;
  /** Returns text in normalised form. */
  readonly text?: (text: string, parent: Element) => string;
  /** Elements whose order among siblings is ignored. */
  readonly ignoresOrder?: (element: Element) => boolean;
}

const CSRF_NAME =
  /csrf|xsrf|authenticity_?token|requestverificationtoken|__viewstate|__eventvalidation|form_build_id|form_token|_wpnonce|^_token$|^nonce$/i;
const BUILD_NAME =
  /^(?:build|version|revision|release|commit|deploy(?:ment)?)[\w:.-]*$|[-_:](?:build|revision|release|commit|deploy)(?:[-_]?id)?$/i;
const REFERENCES = new Set([
  'id',
  'for',
  'aria-controls',
  'aria-labelledby',
  'aria-describedby',
  'aria-owns',
  'aria-activedescendant',
  'list',
  'headers',
]);

const isScript = (element: Element): boolean => element.tag === 'script';
const scriptType = (element: Element): string => attributeIn(element, 'type').toLowerCase();

const firstText = (element: Element): string =>
  element.children.find((child) => typeof child === 'string') ?? textOf(element, 100);

const isScriptGenerated = (style: Element): boolean =>
  ['data-styled', 'data-emotion', 'data-jss', 'data-styled-jsx'].some((name) => Object.hasOwn(style.attributes, name));

/** Rules apply in order; each gets the output of the previous ones. */
export const NOISE_RULES: readonly NoiseRule[] = [
  {
    name: 'nonces',
    matches: 'numbers used once in a content security policy',
    effect: 'the nonce attribute is left out, and nonces in a policy are equal',
    attribute: (name, value) =>
      name === 'nonce' || name === 'data-nonce'
        ? undefined
        : name === 'content'
          ? value.replace(/'nonce-[^']*'/g, "'nonce'")
          : value,
  },
  {
    name: 'csrf_tokens',
    matches: 'CSRF tokens and form state',
    effect: 'hidden inputs and metas with these names are left out',
    drops: (element) =>
      (element.tag === 'input' &&
        attributeIn(element, 'type').toLowerCase() === 'hidden' &&
        CSRF_NAME.test(attributeIn(element, 'name'))) ||
      (element.tag === 'meta' && CSRF_NAME.test(attributeIn(element, 'name'))),
    attribute: (name, value) => (name.startsWith('data-') && CSRF_NAME.test(name.slice(5)) ? undefined : value),
  },
  {
    name: 'integrity',
    matches: 'subresource integrity checksums of scripts and style sheets',
    effect: 'the attribute is left out',
    attribute: (name, value) => (name === 'integrity' ? undefined : value),
  },
  {
    name: 'mail_tokens',
    matches: 'mail addresses and challenges that a CDN encodes differently in each response',
    effect: 'the code is left out of the URL; scripts of the CDN are left out',
    drops: (element) =>
      isScript(element) &&
      /__CF\$cv\$params|\/cdn-cgi\/challenge-platform/.test(attributeIn(element, 'src') + firstText(element)),
    attribute: (name, value) =>
      name === 'data-cfemail'
        ? '*'
        : name === 'href'
          ? value.replace(/(\/cdn-cgi\/l\/email-protection)#.*/, '$1')
          : value,
    // The content of frames and noscript is parsed as text.
    text: (text) =>
      text.includes('cfemail') || text.includes('email-protection')
        ? text.replace(/(email-protection#|data-cfemail=["']?)[0-9a-f]+/g, '$1*')
        : text,
  },
  {
    name: 'request_ids',
    matches: 'request and trace ids',
    effect: 'metas named after a trace or a request are left out',
    drops: (element) =>
      element.tag === 'meta' &&
      /^(?:sentry-trace|baggage|traceparent|(?:x-)?(?:request|trace|visit|correlation|ray)-?id)$/i.test(
        attributeIn(element, 'name'),
      ),
  },
  {
    name: 'build_ids',
    matches: 'build ids of the site',
    effect: 'metas and data attributes named after a build are left out, and so is the build id in asset URLs',
    drops: (element) => element.tag === 'meta' && BUILD_NAME.test(attributeIn(element, 'name')),
    attribute: (name, value) =>
      name.startsWith('data-') && BUILD_NAME.test(name.slice(5))
        ? undefined
        : isUrlAttribute(name, value)
          ? value.replace(/(\/_next\/(?:static|data)\/)[\w-]{8,}(?=\/)/, '$1*')
          : value,
  },
  {
    name: 'asset_names',
    matches: 'hashes and versions in file names',
    effect: '`app.3f2a9c.js` is compared as `app.*.js`, `style.css?v=12` as `style.css`',
    attribute: (name, value) => (isUrlAttribute(name, value) ? normalizeAssetUrl(value) : value),
  },
  {
    name: 'session_ids',
    matches: 'session and campaign ids in URLs',
    effect: 'these parts of a URL are left out',
    attribute: (name, value) => (isUrlAttribute(name, value) && /[;?(]/.test(value) ? withoutSessionIds(value) : value),
  },
  {
    name: 'sources',
    matches: 'image sizes',
    effect: 'srcset and sizes are left out; the image URL is compared',
    attribute: (name, value) =>
      /^(?:data-)?(?:srcset|sizes)$|^imagesrcset$|^imagesizes$/.test(name) ? undefined : value,
  },
  {
    name: 'class_hashes',
    matches: 'generated class names',
    effect: '`css-1x2y` is compared as `css-*`, `Card_body__ToW2S` as `Card_body__*`',
    attribute: (name, value) =>
      name !== 'class'
        ? value
        : // Styled components append a class of letters only.
          (/(?:^|[\s-])sc-[a-z0-9]{5,8}/i.test(value)
            ? value.replace(/(?<=\s)[a-zA-Z]{5,7}(?=\s*$)/, '*')
            : value
          ).replace(/\S+/g, normalizeName),
  },
  {
    name: 'made_ids',
    matches: 'ids generated during rendering, and references to them',
    effect: 'generated ids and references to them are equal',
    attribute: (name, value) =>
      REFERENCES.has(name)
        ? value.replace(/\S+/g, normalizeId)
        : name === 'href' && value.startsWith('#')
          ? `#${normalizeId(value.slice(1))}`
          : value,
  },
  {
    name: 'data_ids',
    matches: 'data attributes that scripts set for their own use',
    effect: 'data attributes of frameworks are left out; hashes, UUIDs and long numbers in others are equal',
    attribute: (name, value) =>
      /^data-(?:v-[0-9a-f]{6,}|react|emotion|styled|s$|astro-cid|n-head|server-rendered|svelte-h|rh$|id$|uid$|key$|request|trace|ray)/.test(
        name,
      ) || /^_ng(?:content|host)-|^astro-/.test(name)
        ? undefined
        : name.startsWith('data-')
          ? normalizeNumbers(value)
          : value,
  },
  {
    name: 'script_data',
    matches: 'data that the server writes into scripts',
    effect: 'JSON in scripts, and hashes, UUIDs and timestamps in code, are equal; linked data (ld+json) is compared',
    text: (text, parent) =>
      !isScript(parent) || scriptType(parent).includes('ld+json')
        ? text
        : scriptType(parent).includes('json')
          ? ''
          : normalizeScript(text),
  },
  {
    name: 'style_hashes',
    matches: 'generated names in style sheets of the page',
    effect: 'names are normalised like classes; style sheets written by scripts are left out',
    text: (text, parent) =>
      parent.tag !== 'style'
        ? text
        : isScriptGenerated(parent)
          ? ''
          : text.includes('.')
            ? text.replace(/(?<=\.)[a-zA-Z_][\w-]{4,60}/g, normalizeName)
            : text,
  },
  {
    name: 'timestamps',
    matches: 'the time of the response and ages',
    effect: 'timestamps with seconds, and ages, are equal; dates and times of day are compared',
    attribute: (name, value) =>
      /\d{2}/.test(value) && name !== 'class' && name !== 'id' && name !== 'style' && name !== 'datetime'
        ? normalizeTimestamps(value)
        : value,
    text: (text, parent) =>
      isScript(parent) || parent.tag === 'style' || !/\d|ago|now/.test(text) ? text : normalizeTextTimestamps(text),
  },
  {
    name: 'head_order',
    matches: 'the order of metas and links in the head',
    effect: 'moves there are ignored, except those of style sheets and scripts',
    ignoresOrder: (element) =>
      element.parent?.tag === 'head' &&
      (element.tag === 'meta' || (element.tag === 'link' && !/stylesheet/i.test(attributeIn(element, 'rel')))),
  },
];

/** Rule name of comments, which are never compared. */
export const COMMENTS = 'comments';
