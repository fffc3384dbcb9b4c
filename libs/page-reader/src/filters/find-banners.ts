import { Hint } from '../tree/name-hints.ts';
import { type Element, Flag, findFirst, NO_ATTRIBUTES, type Page, visibleLine, walk } from '../tree/page-tree.ts';
import {
  ARTICLE_WORDS,
  CONSENT_WORDS_CAP,
  DIALOG_WORDS_CAP,
  HEADLINE_WORDS,
  NAME_CHARS,
  OVERLAY_WORDS_CAP,
} from './thresholds.ts';

/** Ids and classes of the containers that consent and overlay tools add to pages. */
const VENDOR_NAME =
  /^(?:onetrust-(?:consent-sdk|banner-sdk|pc-sdk)|ot-sdk-(?:cookie-policy|container)|CybotCookiebotDialog\w*|CookiebotWidget|cookiebanner|didomi-(?:host|popup|notice)|qc-cmp2?-(?:container|ui|main)|usercentrics-(?:root|cmp-ui)|uc-(?:banner|center)-\w+|truste?-(?:consent-track|banner|cm-\w+)|truste_\w+|trustarc-banner\w*|consent_blackbar|iubenda-cs-(?:banner|container)|cky-(?:consent|modal|overlay|banner)[\w-]*|cookie-law-info-bar|cliModal\w*|cmplz-(?:cookiebanner|manage-consent)[\w-]*|osano-cm-(?:window|dialog|widget)[\w-]*|cc-(?:window|banner|grower)|cookieconsent[\w:-]*|cm--box|klaro|termly-[\w-]*(?:consent|banner)[\w-]*|tarteaucitron(?:Root|AlertBig|Services)\w*|axeptio_\w+|BorlabsCookie\w*|brlbs-[\w-]+|moove_gdpr_\w+|sp_message_container_\w+|fc-consent-root|fc-dialog-container|evidon-\w+|_evidon\w*|hs-(?:eu-cookie-confirmation|banner)[\w-]*|shopify-pc__banner|cookiescript_\w+|cookiefirst-root|cmpbox2?|cmpwrapper|gdpr-cookie-(?:message|notice)|wt-cli-cookie-bar[\w-]*|cn-notice-text|cookie-notice-container|eu-cookie-law|catapult-cookie-bar|smartbanner|smart-?app-?banner|branch-banner-iframe|pum-overlay|sumome-[\w-]+|privy-[\w-]*popup[\w-]*|klaviyo-form-overlay|mc-modal|tp-(?:modal|backdrop|iframe-wrapper)|piano-[\w-]*(?:modal|overlay))$/i;
/** Names that sites give to their own consent notices. */
const CONSENT_NAME =
  /(?:cookies?|gdpr|ccpa|dsgvo|rgpd|lgpd|consent|privacy)[-_]{0,2}(?:policy[-_]?)?(?:consent|banner|bar|notice|notification|popup|pop-up|modal|overlay|message|alert|disclaimer|law|warning|prompt|dialog|layer|wall|box|hint|toast|container|wrapper|settings|preferences|info)(?![a-z])|(?:accept|allow|eu|manage)[-_]?cookies?(?![a-z])/i;
/** Names of overlays that promote something else: a newsletter, an app, a subscription. */
const OVERLAY_NAME =
  /(?<![a-z])(?:newsletter|subscri(?:be|ption)|sign-?up|mailing-?list|email|paywall|adblock|ad-?blocker|register|regwall|registration|exit-?intent|push)[-_]{0,2}(?:notification[-_]?)?(?:popup|pop-up|modal|overlay|lightbox|flyout|fly-in|slide-?in|interstitial|toast|smartbanner|banner|nag|prompt|wall|mask)(?![a-z])|(?<![a-z])(?:promo|offer|welcome)[-_]{0,2}(?:popup|pop-up|modal|overlay|lightbox|interstitial)(?![a-z])|(?:popup|modal|overlay|lightbox|interstitial|toast|smart)[-_]{1,2}(?:newsletter|subscri(?:be|ption)|sign-?up|app|paywall|promo|banner)(?![a-z])|^(?:js-)?(?:mobile-?|smart-?)?app[-_]?(?:store|install|download)?[-_]{1,2}(?:banner|popup|modal|overlay|prompt|interstitial)(?:[-_](?:container|wrapper|bar))?$/i;
const COOKIE_WORDS =
  /\bcookies?\b|\bgdpr\b|\bccpa\b|\bconsent\b|einwilligung|datenschutz|données personnelles|consentement|consentimiento|consentimento|consenso|toestemming|zgod[aęy]|плик(?:и|ов) cookie|файл(?:ы|ов) cookie|куки|クッキー|쿠키|隐私|ملفات تعريف الارتباط|çerez|evästee|informasjonskaps|kakor\b/i;
const PROMPT_WORDS =
  /newsletter|subscri(?:be|ption)|sign up|abonn|suscr[ií]|iscriviti|inschrijv|download (?:the|our) app|get the app|open in (?:the )?app|app store|google play|ad ?blocker?|turn off your|create (?:a free|an) account|already a subscriber|notifications?/i;
const FLOATING_STYLE = /position\s*:\s*(?:fixed|sticky)|z-index\s*:\s*\d{4,}/i;

/** Elements that are content or contain it, and therefore never a banner. */
const NEVER_BANNER_TAGS = new Set(
  'html body main article p pre code table tbody tr td th ul ol li dl h1 h2 h3 h4 h5 h6 blockquote figure a'.split(' '),
);

/**
 * Returns the outermost elements that are notices laid over the page. Text about cookies alone is not a cookie notice.
 */
export function findBanners(page: Page): Element[] {
  const names = new NameClassifier();
  const banners: Element[] = [];
  walk(page.body, (element) => {
    if ((element.flags & Flag.notRendered) !== 0) return false;
    if (!isBanner(element, names)) return undefined;
    banners.push(element);
    return false;
  });
  return banners;
}

/** Whether the element is a dialog, or floats above the page. */
function isDialogBox({ tag, attributes }: Element): boolean {
  const { role, style } = attributes;
  return (
    role === 'dialog' ||
    role === 'alertdialog' ||
    attributes['aria-modal'] === 'true' ||
    tag === 'dialog' ||
    (style !== undefined && FLOATING_STYLE.test(style))
  );
}

function isBanner(element: Element, names: NameClassifier): boolean {
  if (element.attributes === NO_ATTRIBUTES && element.tag !== 'dialog') return false;
  const { id, class: className } = element.attributes;
  const kinds = names.read(id) | names.read(className);
  const isDialog = isDialogBox(element);
  if (kinds === 0 && !isDialog) return false;
  if (
    NEVER_BANNER_TAGS.has(element.tag) ||
    element.words === 0 ||
    element.words > DIALOG_WORDS_CAP ||
    containsContent(element)
  )
    return false;
  if ((kinds & NameKind.vendor) !== 0) return true;
  if (isDialog && textMatches(element, COOKIE_WORDS)) return true;
  if (isDialog && element.words <= OVERLAY_WORDS_CAP && textMatches(element, PROMPT_WORDS) && hasInput(element))
    return true;
  if (isInArticle(element)) return false;
  if ((kinds & NameKind.consent) !== 0) return element.words <= CONSENT_WORDS_CAP && textMatches(element, COOKIE_WORDS);
  return (kinds & NameKind.overlay) !== 0 && element.words <= OVERLAY_WORDS_CAP;
}

const textMatches = (element: Element, pattern: RegExp): boolean => pattern.test(visibleLine(element, 3_000));

/** Dialogs also hold content, such as details opened by a click. A prompt has a form control. */
const hasInput = (element: Element): boolean => findFirst(element, ({ tag }) => INPUT_TAGS.has(tag)) !== undefined;
const INPUT_TAGS = new Set(['input', 'form', 'iframe']);

/** True for a dialog that contains a whole application, or an element whose subject is cookies. */
const containsContent = (element: Element): boolean =>
  findFirst(
    element,
    (inner) =>
      inner.tag === 'main' ||
      (inner.tag === 'article' && inner.words > ARTICLE_WORDS) ||
      (inner.tag === 'h1' && element.words > HEADLINE_WORDS) ||
      ((inner.hints & Hint.content) !== 0 && inner.attributes['itemprop'] === 'articleBody'),
  ) !== undefined;

function isInArticle(element: Element): boolean {
  for (let up = element.parent; up; up = up.parent) if (up.tag === 'article') return true;
  return false;
}

const NameKind = { vendor: 1, consent: 2, overlay: 4 } as const;

/** Classifies names and caches the result per spelling: pages repeat a few hundred names thousands of times. */
class NameClassifier {
  readonly #seen = new Map<string, number>();

  read(name: string | undefined): number {
    if (name === undefined || name === '') return 0;
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    const bits = bitsOf(name.length > NAME_CHARS ? name.slice(0, NAME_CHARS) : name);
    this.#seen.set(name, bits);
    return bits;
  }
}

/** Prefilter: most names match none of the patterns above. */
const PREFILTER =
  /cook|consent|gdpr|ccpa|dsgvo|rgpd|lgpd|privacy|trust|didomi|cmp|usercentrics|uc-|iubenda|cky-|cli|cmplz|osano|cc-|cm--|klaro|termly|tarteaucitron|axeptio|borlabs|brlbs|moove|sp_|fc-|evidon|hs-|shopify|cn-|smart|branch|pum|sumome|privy|klaviyo|mc-|tp-|piano|pop-?up|modal|overlay|lightbox|fly|slide|interstitial|toast|nag|prompt|wall|mask|banner|ot-sdk/i;

function bitsOf(name: string): number {
  if (!PREFILTER.test(name)) return 0;
  let bits = 0;
  for (const token of name.trim().split(/\s+/)) {
    if (VENDOR_NAME.test(token)) bits |= NameKind.vendor;
    if (CONSENT_NAME.test(token)) bits |= NameKind.consent;
    if (OVERLAY_NAME.test(token)) bits |= NameKind.overlay;
  }
  return bits;
}
