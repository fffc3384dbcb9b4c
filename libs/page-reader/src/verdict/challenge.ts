import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { namesRefusal } from './refused.ts';
import { challengeHeaderOf, wallHeaderOf } from './response-headers.ts';
import { hasOwnText, isStated, type Statement } from './statements.ts';
import {
  BARE_WALL_WORDS,
  CERTAIN_WALL_WORDS,
  FRAME_WALL_WORDS,
  WALL_BODY_WORDS,
  WALL_WORDS,
  WIDGET_WALL_WORDS,
} from './thresholds.ts';

const CHALLENGE_TITLE =
  /^(?:just a moment|attention required|one moment,? please|please wait|verify(?:ing)? (?:you|that you)|are you (?:a )?(?:human|robot)|human verification|security (?:check|verification)|robot check|bot (?:check|verification)|captcha|checking your browser|access verification|ddos-guard|client challenge|making sure you['’]re not a bot|vercel security checkpoint|un momento|un instant|einen moment|nur einen moment|um momento|een ogenblik|bir dakika|один момент|подождите|請稍候|请稍候|잠시만|しばらくお待ち|验证|安全验证|滑动验证)|verify (?:that )?you are (?:a )?human|captcha\b|(?:please wait for|complete the) verification/i;
const CHALLENGE_TEXT =
  /verify(?:ing)? (?:that )?you(?:['’]re| are) (?:a )?(?:human|not a (?:ro)?bot)|(?:confirm|prove|check(?:ing)?) (?:that )?you(?:['’]re| are) (?:a )?(?:human|not a (?:ro)?bot)|i['’]?m not a robot|are you a (?:human|robot)|checking (?:your browser|if the site connection is secure)|(?:enable javascript and cookies|cookies) to continue|complete the (?:security check|captcha)|(?:solve|enter|type) (?:the|this|these)? ?(?:captcha|characters|puzzle)|unusual (?:traffic|activity from)|press (?:&|and) hold|making sure you['’]re not a bot|not a robot|slide to|拖动滑块|验证码|ロボットではありません|로봇이 아닙니다|(?:no soy|não sou) um? ?(?:robot|robô)|je ne suis pas un robot|ich bin kein roboter|non sono un robot|я не робот|ik ben geen robot|(?:complete|solve|pass) the (?:verification|challenge|check|test|puzzle)|(?:prevent|detected|block|stop|protect (?:\w+ ){0,3}(?:from|against)) (?:automated|unusual|suspicious|bot|robot)s? (?:\w+ )?(?:scraping|access|activity|traffic|download|requests?)?|(?:made us think|suspect|believe|thought|think) (?:that )?you(?:['’]re| are| were| might be| may be) an? (?:ro)?bot|needs to review the security of your connection|pardon our interruption|automated (?:requests|queries|access)|additional security check|security (?:check|verification)/i;

const CHALLENGE: Statement = { sentence: CHALLENGE_TEXT, advice: ADVICE, canBeQuestion: true };

/** Markers that ordinary pages have too. */
const UNSURE = ['bot page', 'captcha frame'];

/** Returns the captcha or bot wall that a response names in its markup, headers or final URL. */
export function protectionOf(input: ClassifyInput): string | undefined {
  const { evidence, httpStatus } = input;
  const wall = evidence.walls.find((name) => name !== 'cloudflare block');
  const named = challengeHeaderOf(input) ?? evidence.widgets[0] ?? wall ?? widgetAt(input.landedUrl);
  return named ?? (httpStatus === 200 ? undefined : wallHeaderOf(input));
}

const WALL_URLS: readonly [string, RegExp][] = [
  ['datadome', /^https?:\/\/geo\.captcha-delivery\.com\//i],
  ['alibaba punish', /[?&]x5secdata=|\/_____tmd_____\/punish/i],
  ['recaptcha', /^https?:\/\/(?:www\.)?(?:google\.com\/recaptcha|recaptcha\.net)\/|google\.[a-z.]+\/sorry\//i],
  ['hcaptcha', /^https?:\/\/(?:[\w-]+\.)?hcaptcha\.com\//i],
  ['arkose', /^https?:\/\/[\w.-]+\.(?:funcaptcha|arkoselabs)\.com\//i],
  ['turnstile', /^https?:\/\/challenges\.cloudflare\.com\//i],
  ['friendly-captcha', /^https?:\/\/[\w.-]+\.friendlycaptcha\.com\//i],
  ['tencent-captcha', /^https?:\/\/turing\.captcha\.qcloud\.com\//i],
  ['perimeterx', /^https?:\/\/[\w.-]*perimeterx\.net\/|\/px\/captcha/i],
];

const widgetAt = (url: string): string | undefined => WALL_URLS.find(([, pattern]) => pattern.test(url))?.[0];

/** Finds a captcha or an interstitial challenge. A challenge without a named captcha or wall is an ordinary refusal. */
export function challengeIn(input: ClassifyInput): Finding | undefined {
  const { evidence, httpStatus } = input;
  const named = challengeHeaderOf(input) ?? widgetAt(input.landedUrl);
  // Some sites keep the challenge header on pages they serve. Then the page has content.
  const mitigated = named !== undefined && (httpStatus !== 200 || evidence.mainWords < WALL_WORDS);
  if (!mitigated && !isChallengePage(evidence)) return undefined;
  const widget = named ?? evidence.widgets[0] ?? evidence.walls.find((wall) => wall !== 'cloudflare block');
  if (widget === undefined && httpStatus >= 400)
    return { errorCode: 'BLOCKED', reason: 'the site holds readers back', signals: ['challenge'], climb: true };
  return {
    errorCode: 'CAPTCHA',
    reason: 'the site requires proof that the visitor is human',
    signals: [widget ?? 'challenge'],
    ...(widget ? { widget } : {}),
    climb: true,
  };
}

function isChallengePage(evidence: PageEvidence): boolean {
  if (evidence.mainWords >= WALL_WORDS || evidence.bodyWords >= WALL_BODY_WORDS) return false;
  if (evidence.passwordFields > 0 || isContactForm(evidence)) return false;
  if (namesRefusal(evidence) && evidence.widgets.length === 0) return false;
  const certain = evidence.walls.filter((wall) => wall !== 'cloudflare block' && !UNSURE.includes(wall));
  if (certain.length > 0 && evidence.bodyWords < CERTAIN_WALL_WORDS) return true;
  if (statesChallenge(evidence)) return true;
  if (evidence.bodyWords < FRAME_WALL_WORDS && evidence.walls.includes('captcha frame')) return true;
  const bareWidget = evidence.widgets.length > 0 && !evidence.hasArticle;
  return evidence.bodyWords < WIDGET_WALL_WORDS && (bareWidget || /^verif(?:y|ication)$/i.test(evidence.title));
}

/** True if the text of a page requires proof, or if its title does and it has a wall's marker or no text of its own. */
function statesChallenge(evidence: PageEvidence): boolean {
  const { title, heading, widgets, walls, noscriptText, bodyWords } = evidence;
  const titled = CHALLENGE_TITLE.test(title);
  const named = titled || CHALLENGE_TITLE.test(heading) || CHALLENGE_TEXT.test(`${title}\n${heading}`);
  const stated = isStated(evidence, CHALLENGE) || CHALLENGE_TEXT.test(noscriptText);
  const marked = widgets.length > 0 || walls.some((wall) => wall !== 'cloudflare block');
  const bare = !hasOwnText(evidence, CHALLENGE);
  if (stated) return named || marked || (bare && bodyWords < BARE_WALL_WORDS);
  return named && bare;
}

/** True for a form with more fields than a captcha: the captcha protects the form, not the page. */
const isContactForm = (evidence: PageEvidence): boolean =>
  evidence.textFields + evidence.emailFields >= 2 &&
  (!CHALLENGE_TITLE.test(evidence.title) || hasOwnText(evidence, CHALLENGE));
