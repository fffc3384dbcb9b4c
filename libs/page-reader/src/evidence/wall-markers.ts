import { literalPrefixesOf, WordSearch } from './word-search.ts';

/**
 * Markers of captcha widgets and bot walls in scripts, frames and element names. Each is the vendor's own identifier.
 */
const WIDGETS: readonly [string, RegExp][] = [
  ['turnstile', /challenges\.cloudflare\.com\/turnstile|cf-turnstile/i],
  ['hcaptcha', /hcaptcha\.com|h-captcha/i],
  [
    'recaptcha',
    /google\.com\/recaptcha|recaptcha\.net|gstatic\.com\/recaptcha|g-recaptcha|grecaptcha\.(?:execute|render)/i,
  ],
  ['arkose', /funcaptcha|arkoselabs\.com/i],
  ['geetest', /geetest\.com|geetest\.init|initGeetest/i],
  ['friendly-captcha', /friendlycaptcha|frc-captcha/i],
  ['captcha-eu', /captcha\.eu|CaptchaEU/],
  ['tencent-captcha', /turing\.captcha\.qcloud\.com|TencentCaptcha/],
  ['aws-waf-captcha', /captcha\.awswaf\.com|AwsWafCaptcha/i],
  ['datadome', /captcha-delivery\.com/i],
  ['perimeterx', /captcha\.px-cdn\.net|px-captcha/i],
  ['yandex-smartcaptcha', /smartcaptcha\.yandexcloud|captcha-api\.yandex|checkbox-captcha-form/i],
  ['amazon-captcha', /errors\/validateCaptcha|opfcaptcha/i],
  ['altcha', /altcha-widget/i],
];
const WALLS: readonly [string, RegExp][] = [
  [
    'cloudflare challenge',
    /_cf_chl_opt|cf-challenge-running|cdn-cgi\/challenge-platform\/h\/|cf_chl_|#challenge-running|jschl[-_]answer/i,
  ],
  ['cloudflare block', /#cf-error-details|cf-error-code/i],
  ['datadome', /captcha-delivery\.com|var dd=\{|geo\.captcha-delivery/i],
  ['perimeterx', /_pxAppId|px-captcha|pxInit|_pxUuid|perimeterx\.net/i],
  ['akamai', /bmak\.sensor_data|sec-if-cpt-container|sec-cpt-if|akamai-bm|_sec\/cp_challenge|errors\.edgesuite\.net/i],
  ['imperva', /_Incapsula_Resource|imperva\.protect|incapsula incident/i],
  ['kasada', /__kasada|KPSDK|ips\.js\?/],
  ['aws waf', /awswaf\/challenge|aws-waf\.init|awsWafCookieDomainList|gokuProps/],
  ['shape security', /shapesecurity\.init|_imp_apg_/i],
  ['anubis', /script#anubis_challenge|within\.website\/x\/cmd\/anubis/i],
  ['sucuri', /sucuri_cloudproxy_js|cloudproxy\.sucuri/i],
  ['ddos-guard', /ddos-guard\/js-challenge|check\.ddos-guard\.net/i],
  ['vercel', /vercel\/security|_vcrct|vercel-challenge/i],
  ['alibaba punish', /x5secdata|_____tmd_____\/punish|acw_sc__v2/],
  ['qrator', /__qrator\/|qauth\.js/i],
  ['reddit', /js_challenge|reddit[^\n]{0,80}verification/i],
  ['captcha frame', /\nframe:.*(?:captcha| challenge\n)/i],
  ['bot page', /\/_bm\/|bot-detection|botdetection|botmanager|#captcha-form|captcha-(?:box|container|form)/i],
];

/** Domain parking services, by their scripts and frames. */
const PARKING =
  /sedoparking\.com|parkingcrew\.net|bodis\.com|parklogic\.com|above\.com\/marketplace|afternic\.com\/forsale|hugedomains\.com\/domain_profile|wsimg\.com\/parking-lander|dan\.com\/buy-domain|d38psrni17bvxu\.cloudfront\.net/i;

/** Captchas, bot walls and parking services found in a page. */
export interface WallMarkers {
  readonly widgets: string[];
  readonly walls: string[];
  readonly parked: boolean;
}

const PATTERNS = [...WIDGETS, ...WALLS, ['parked', PARKING] as const];
const SEARCH = new WordSearch(PATTERNS.map(([, pattern]) => literalPrefixesOf(pattern)));

/** Finds markers in scripts and element names. Only patterns whose literal prefix occurs are run. */
export function findWallMarkers(scripts: string, names: string): WallMarkers {
  const candidates = new Set<number>();
  SEARCH.search(scripts, candidates);
  SEARCH.search(names, candidates);
  const widgets: string[] = [];
  const walls: string[] = [];
  let parked = false;
  for (const at of [...candidates].sort((one, other) => one - other)) {
    const [name, pattern] = PATTERNS[at] ?? [];
    if (name === undefined || !(pattern?.test(scripts) || pattern?.test(names))) continue;
    if (at < WIDGETS.length) widgets.push(name);
    else if (at < PATTERNS.length - 1) walls.push(name);
    else parked = true;
  }
  return { widgets, walls, parked };
}
