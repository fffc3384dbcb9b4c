import type { Finding, JudgeInput } from './verdict.ts';
import type { PageEvidence } from './verdict-evidence.ts';

/** A page this short may be a wall; a longer one only talks about them. */
const WALL_WORDS = 150;

const CHALLENGE_TITLE =
  /^(?:just a moment|attention required|one moment,? please|please wait|verify(?:ing)? (?:you|that you)|are you (?:a )?(?:human|robot)|human verification|security (?:check|verification)|robot check|bot (?:check|verification)|captcha|checking your browser|access verification|ddos-guard|client challenge|making sure you['’]re not a bot|un momento|einen moment|nur einen moment|请稍候|验证|安全验证|滑动验证)|verify you are (?:a )?human|captcha|(?:please wait for|complete the) verification/i;
const CHALLENGE_TEXT =
  /verify(?:ing)? (?:that )?you(?:['’]re| are) (?:a )?(?:human|not a (?:ro)?bot)|(?:confirm|prove|check(?:ing)?) (?:that )?you(?:['’]re| are) (?:a )?(?:human|not a (?:ro)?bot)|i['’]?m not a robot|are you a (?:human|robot)|checking (?:your browser|if the site connection is secure)|(?:enable javascript and cookies|cookies) to continue|complete the (?:security check|captcha)|(?:solve|enter|type) (?:the|this|these)? ?(?:captcha|characters|puzzle)|unusual traffic|press (?:&|and) hold|making sure you['’]re not a bot|not a robot|slide to|拖动滑块|验证码|ロボットではありません|needs to review the security of your connection|pardon our interruption|automated (?:requests|queries|access)|additional security check|security (?:check|verification)/i;

/** A captcha or an interstitial challenge. */
export function challengeIn(input: JudgeInput): Finding | undefined {
  const { evidence } = input;
  const small = evidence.mainWords < WALL_WORDS && evidence.bodyWords < 400;
  const mitigated = headerOf(input, 'cf-mitigated') === 'challenge';
  const says =
    CHALLENGE_TITLE.test(evidence.title) ||
    CHALLENGE_TITLE.test(evidence.heading) ||
    CHALLENGE_TEXT.test(evidence.opening.slice(0, 1_500)) ||
    CHALLENGE_TEXT.test(evidence.noscriptText);
  const widget = evidence.widgets[0] ?? evidence.walls.find((wall) => wall !== 'cloudflare block');
  const asksOnly =
    evidence.bodyWords < 15 && (evidence.widgets.length > 0 || /^verif(?:y|ication)$/i.test(evidence.title));
  const bare =
    evidence.bodyWords < 40 && evidence.walls.some((wall) => wall !== 'bot page' && wall !== 'cloudflare block');
  if (
    !mitigated &&
    !(
      small &&
      (says
        ? widget !== undefined || CHALLENGE_TITLE.test(evidence.title) || evidence.bodyWords < 120
        : bare || asksOnly)
    )
  )
    return undefined;
  if (!mitigated && isPlainRefusal(evidence) && evidence.widgets.length === 0) return undefined;
  if (evidence.passwordFields > 0 && !mitigated) return undefined;
  return {
    errorCode: 'CAPTCHA',
    reason: 'the site asks for proof that a person is reading',
    signals: [widget ?? 'challenge'],
    ...(widget ? { widget } : {}),
    climb: true,
  };
}

const REFUSAL =
  /access (?:to this (?:page|site|resource) )?(?:has been |is |was )?(?:denied|forbidden|blocked|restricted)|(?:you (?:have been|are|['’]ve been)|your (?:ip|request|access|connection)(?: address)? (?:has been|is|was)) (?:temporarily |permanently )?(?:blocked|denied|banned|rejected)|sorry,? you have been blocked|403 forbidden|^\s*forbidden|request (?:was )?(?:blocked|rejected|unsuccessful|could not be satisfied)|you don['’]t have (?:permission|authorization) to (?:access|view)|not (?:authorized|allowed) to (?:access|view)|blocked by (?:network security|our security)|incapsula incident|the requested url was rejected|web application firewall|security (?:policy|service) (?:to protect|violation)|reference #\d|ray id|zugriff (?:verweigert|blockiert)|acc[eè]s (?:refusé|interdit)|acceso denegado|доступ (?:запрещен|ограничен)|访问(?:被拒绝|受限)|アクセスが(?:拒否|制限)/i;
const isPlainRefusal = (evidence: PageEvidence): boolean => REFUSAL.test(`${evidence.title}\n${evidence.heading}`);

/** The site refused: a 401, 403 or 451, or a page that says so. */
export function isRefusal(input: JudgeInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const refused = (signal: string): Finding => ({
    errorCode: 'BLOCKED',
    reason: 'the site refused the request',
    signals: [signal],
    climb: true,
  });
  const small = evidence.mainWords < WALL_WORDS && evidence.bodyWords < 300;
  if (httpStatus === 401 || httpStatus === 403 || httpStatus === 999) return refused('refused');
  if (!small) return undefined;
  if (isPlainRefusal(evidence)) return refused('access denied');
  return REFUSAL.test(evidence.opening.slice(0, 800)) && evidence.links < 15 ? refused('access denied') : undefined;
}

const LOGIN_TITLE =
  /(?:^|[\s|\-–—:•·(])(?:log ?-?in|sign ?-?in|log ?on|sign ?on|signin|sso|single sign-on|anmelden|einloggen|anmeldung|connexion|se connecter|iniciar sesi[oó]n|entrar|accedi|inloggen|logga in|zaloguj|войти|вход|авторизация|ログイン|登录|登錄|로그인|giriş(?: yap)?|authenticat(?:e|ion) required|members only)(?:$|[\s|\-–—:•·,.!)])/iu;
const LOGIN_TEXT =
  /(?:please |you (?:must|need to|have to) )(?:be )?(?:log(?:ged)? ?in|sign(?:ed)? ?in)|(?:log|sign) ?in (?:to (?:continue|your account|view|access)|with (?:google|email|your))|enter your (?:password|username|e-?mail)|forgot (?:your )?password|keep me (?:signed|logged) in|remember me/i;
const LOGIN_URL =
  /\/(?:log-?in|sign-?in|logon|auth(?:enticate|orize)?|sso|accounts?\/login|users?\/sign_in|session\/new|saml|oauth2?|wp-login\.php|checkpoint)(?:[./?#]|$)|^https?:\/\/(?:login|signin|sso|auth|accounts?|id|idp)\./i;

/** A page whose purpose is to ask who is reading. A log-in box beside content is not one. */
export function isLoginWall({ httpStatus, evidence, landedUrl, askedUrl }: JudgeInput): Finding | undefined {
  const small = evidence.mainWords < 200 && evidence.paragraphs < 6;
  if (!small) return undefined;
  let score = 0;
  if (evidence.passwordFields > 0) score += evidence.mainWords < 120 ? 2 : 1;
  if (evidence.emailFields > 0) score += 1;
  if (LOGIN_TITLE.test(evidence.title)) score += 2;
  if (evidence.headings.slice(0, 3).some((heading) => heading.length < 80 && LOGIN_TITLE.test(heading))) score += 1;
  if (LOGIN_TEXT.test(`${evidence.opening.slice(0, 1_500)} ${evidence.formText}`)) score += 1;
  if (LOGIN_TITLE.test(` ${evidence.formText} `)) score += 1;
  if (LOGIN_URL.test(landedUrl) || LOGIN_URL.test(evidence.canonical)) score += landedUrl === askedUrl ? 1 : 2;
  if (
    httpStatus === 401 ||
    /\b401\b|requires? (?:an )?authentication/i.test(`${evidence.title} ${evidence.opening.slice(0, 200)}`)
  )
    score += 3;
  if (evidence.bodyWords < 20 && /^(?:.{0,60}\b)?(?:sign|log) ?in with\b/i.test(evidence.opening)) score += 3;
  if (evidence.links > 80 || evidence.repeatedBlocks > 12) score -= 2;
  if (score < 3) return undefined;
  return { errorCode: 'LOGIN_REQUIRED', reason: 'the page asks the reader to log in', signals: ['login form'] };
}

const GEO =
  /(?:not|isn['’]t|un)\s?available (?:in|from|for) your (?:country|region|location|area)|(?:your|this) (?:country|region|location) (?:is|has been) (?:blocked|restricted|not supported)|geo(?:graphic(?:al)?)?[- ]?(?:restrict|block)|due to (?:gdpr|legal reasons|licensing)|european economic area/i;

/** Refused for where the reader is: https://www.rfc-editor.org/rfc/rfc7725 */
export function geoRefusalIn({ httpStatus, evidence }: JudgeInput): Finding | undefined {
  const says = GEO.test(`${evidence.title} ${evidence.heading} ${evidence.opening.slice(0, 600)}`);
  if (httpStatus !== 451 && !(says && evidence.mainWords < 120 && evidence.links < 30)) return undefined;
  return {
    errorCode: 'GEO_RESTRICTED',
    reason: 'the site does not answer from this place',
    signals: ['geo restricted'],
  };
}

const ERROR_PAGE =
  /^(?:error\b|5\d\d\b|we['’]ll be (?:right )?back|internal server error|server error|bad gateway|gateway time-?out|service (?:temporarily )?unavailable|application error|database error|something went wrong|an? (?:unexpected )?error (?:has )?occurred|runtime error|temporarily (?:offline|unavailable)|site (?:is )?(?:temporarily )?(?:down|offline|unavailable)|under maintenance|scheduled maintenance|web server is down|account suspended|domain (?:is )?(?:for sale|parked|expired))|\b5\d\d\s*(?:$|[-–—:|]|internal|bad|service|gateway|error)|(?:service|server|site) (?:is )?(?:currently |temporarily )?(?:unavailable|down|offline)|error establishing a database connection/i;

/** The server failed: a 5xx, or a short page that says so. */
export function isErrorPage({ httpStatus, evidence }: JudgeInput): Finding | undefined {
  const failed = (reason: string): Finding => ({ errorCode: 'NETWORK', reason, signals: ['server error'] });
  if (httpStatus >= 500) return failed(`the site answered ${httpStatus}`);
  if (httpStatus >= 400) return { errorCode: 'BLOCKED', reason: `the site answered ${httpStatus}`, signals: [] };
  const small = evidence.mainWords < 80 && (evidence.bodyWords < 150 || /^error\b/i.test(evidence.title));
  const says = [evidence.title, evidence.heading, evidence.opening.slice(0, 200)].some((text) => ERROR_PAGE.test(text));
  return small && says ? failed('the page says the server failed') : undefined;
}

function headerOf({ headers }: JudgeInput, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(', ') : (value ?? '')).toLowerCase();
}
