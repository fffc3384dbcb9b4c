import { normalizeId, normalizeName } from './generated-names.ts';
import { type MarkupElement, textOf } from './markup-tree.ts';
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
 * What differs between two fetches of a page that says the same. Each rule takes one kind of it out of both readings
 * before they are compared; the answer counts what each kept silent.
 */
export interface NoiseRule {
  /** As it is counted in `noiseSuppressed`. */
  readonly name: string;
  readonly matches: string;
  readonly effect: string;
  /** Elements that are left out with all they hold. */
  readonly drops?: (element: MarkupElement) => boolean;
  /** An attribute's value as it is compared; undefined: it is not. */
  readonly attribute?: (name: string, value: string, element: MarkupElement) => string | undefined;
  /** Text as it is compared. */
  readonly text?: (text: string, parent: MarkupElement) => string;
  /** Elements for which it says nothing where among their siblings they stand. */
  readonly ignoresOrder?: (element: MarkupElement) => boolean;
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

const isScript = (element: MarkupElement): boolean => element.tag === 'script';
const scriptType = (element: MarkupElement): string => element.attribute('type').toLowerCase();

const firstText = (element: MarkupElement): string =>
  element.children.find((child) => typeof child === 'string') ?? textOf(element, 100);

const isScriptGenerated = (style: MarkupElement): boolean =>
  ['data-styled', 'data-emotion', 'data-jss', 'data-styled-jsx'].some((name) => style.attributes.has(name));

/** The table of noise. A rule sees what those above it have left. */
export const NOISE_RULES: readonly NoiseRule[] = [
  {
    name: 'nonces',
    matches: 'numbers used once, that tie scripts to a policy',
    effect: 'the nonce attribute is left out, and nonces in a policy are alike',
    attribute: (name, value) =>
      name === 'nonce' || name === 'data-nonce'
        ? undefined
        : name === 'content'
          ? value.replace(/'nonce-[^']*'/g, "'nonce'")
          : value,
  },
  {
    name: 'csrf_tokens',
    matches: 'tokens of forms against forged requests, and the state of forms',
    effect: 'hidden inputs and metas of these names are left out',
    drops: (element) =>
      (element.tag === 'input' &&
        element.attribute('type').toLowerCase() === 'hidden' &&
        CSRF_NAME.test(element.attribute('name'))) ||
      (element.tag === 'meta' && CSRF_NAME.test(element.attribute('name'))),
    attribute: (name, value) => (name.startsWith('data-') && CSRF_NAME.test(name.slice(5)) ? undefined : value),
  },
  {
    name: 'integrity',
    matches: 'checksums of files that scripts and style sheets are loaded from',
    effect: 'the attribute is left out',
    attribute: (name, value) => (name === 'integrity' ? undefined : value),
  },
  {
    name: 'mail_tokens',
    matches: 'addresses and checks that a delivery network encodes anew with each answer',
    effect: 'the code is left out of the address; scripts of the network are left out',
    drops: (element) =>
      isScript(element) &&
      /__CF\$cv\$params|\/cdn-cgi\/challenge-platform/.test(element.attribute('src') + firstText(element)),
    attribute: (name, value) =>
      name === 'data-cfemail'
        ? '*'
        : name === 'href'
          ? value.replace(/(\/cdn-cgi\/l\/email-protection)#.*/, '$1')
          : value,
    // Markup within frames and noscript is text.
    text: (text) =>
      text.includes('cfemail') || text.includes('email-protection')
        ? text.replace(/(email-protection#|data-cfemail=["']?)[0-9a-f]+/g, '$1*')
        : text,
  },
  {
    name: 'request_ids',
    matches: 'which request this was',
    effect: 'metas named after a trace or a request are left out',
    drops: (element) =>
      element.tag === 'meta' &&
      /^(?:sentry-trace|baggage|traceparent|(?:x-)?(?:request|trace|visit|correlation|ray)-?id)$/i.test(
        element.attribute('name'),
      ),
  },
  {
    name: 'build_ids',
    matches: 'which build of the site answered',
    effect: 'metas and data attributes named after it are left out; so is the build in addresses of its files',
    drops: (element) => element.tag === 'meta' && BUILD_NAME.test(element.attribute('name')),
    attribute: (name, value) =>
      name.startsWith('data-') && BUILD_NAME.test(name.slice(5))
        ? undefined
        : isUrlAttribute(name, value)
          ? value.replace(/(\/_next\/(?:static|data)\/)[\w-]{8,}(?=\/)/, '$1*')
          : value,
  },
  {
    name: 'asset_names',
    matches: 'hashes and versions in the names of files',
    effect: '`app.3f2a9c.js` is compared as `app.*.js`, `style.css?v=12` as `style.css`',
    attribute: (name, value) => (isUrlAttribute(name, value) ? normalizeAssetUrl(value) : value),
  },
  {
    name: 'session_ids',
    matches: 'visits and campaigns in addresses',
    effect: 'these parts of an address are left out',
    attribute: (name, value) => (isUrlAttribute(name, value) && /[;?(]/.test(value) ? withoutSessionIds(value) : value),
  },
  {
    name: 'sources',
    matches: 'the sizes an image is offered in',
    effect: 'srcset and sizes are left out; the image itself is compared',
    attribute: (name, value) =>
      /^(?:data-)?(?:srcset|sizes)$|^imagesrcset$|^imagesizes$/.test(name) ? undefined : value,
  },
  {
    name: 'class_hashes',
    matches: 'classes that a build made up',
    effect: '`css-1x2y` is compared as `css-*`, `Card_body__ToW2S` as `Card_body__*`',
    attribute: (name, value) =>
      name !== 'class'
        ? value
        : // Styled components end with a class of letters alone.
          (/(?:^|[\s-])sc-[a-z0-9]{5,8}/i.test(value)
            ? value.replace(/(?<=\s)[a-zA-Z]{5,7}(?=\s*$)/, '*')
            : value
          ).replace(/\S+/g, normalizeName),
  },
  {
    name: 'made_ids',
    matches: 'ids that are counted out or drawn as the page is built, and what refers to them',
    effect: 'these ids and references are alike',
    attribute: (name, value) =>
      REFERENCES.has(name)
        ? value.replace(/\S+/g, normalizeId)
        : name === 'href' && value.startsWith('#')
          ? `#${normalizeId(value.slice(1))}`
          : value,
  },
  {
    name: 'data_ids',
    matches: 'marks that scripts leave on elements for themselves',
    effect: 'data attributes of frameworks are left out; hashes, UUIDs and long numbers in the others are alike',
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
    effect:
      'JSON in scripts, and hashes, UUIDs and moments in their code, are alike; linked data (ld+json) is compared',
    text: (text, parent) =>
      !isScript(parent) || scriptType(parent).includes('ld+json')
        ? text
        : scriptType(parent).includes('json')
          ? ''
          : normalizeScript(text),
  },
  {
    name: 'style_hashes',
    matches: 'made-up names in style sheets of the page',
    effect: 'they are compared as the classes are; sheets that scripts write as they are used are not compared',
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
    matches: 'the moment of the answer, and what is counted from it',
    effect: 'moments with seconds, and ages, are alike; dates and times of day are compared',
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
    effect: 'what has only moved there is not told; the order of style sheets and scripts is',
    ignoresOrder: (element) =>
      element.parent?.tag === 'head' &&
      (element.tag === 'meta' || (element.tag === 'link' && !/stylesheet/i.test(element.attribute('rel')))),
  },
];

/** Comments hold no content: they are never compared, and counted under this name. */
export const COMMENTS = 'comments';
