import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { statesRefusal } from './refusals.ts';

const LOGIN_TITLE =
  /(?:^|[\s|\-–—:•·(])(?:log ?-?in|sign ?-?in|log ?on|sign ?on|signin|sso|single sign-on|anmelden|einloggen|anmeldung|connexion|se connecter|identifiez-vous|iniciar sesi[oó]n|inicia sesi[oó]n|acceder|entrar|iniciar sess[aã]o|fazer login|accedi|inloggen|aanmelden|logga in|logg inn|log ind|kirjaudu(?: sisään)?|zaloguj|logowanie|přihlásit(?: se)?|přihlášení|prihlásenie|bejelentkezés|autentificare|conectare|prijava|σύνδεση|увійти|вхід|войти|вход|авторизация|ログイン|サインイン|登录|登錄|登入|로그인|đăng nhập|masuk|เข้าสู่ระบบ|giriş(?: yap)?|oturum aç|تسجيل الدخول|התחברות|ورود|authenticat(?:e|ion) required|members only)(?:$|[\s|\-–—:•·,.!)])/iu;
const LOGIN_TEXT =
  /(?:please |you (?:must|need to|have to) )(?:be )?(?:log(?:ged)? ?in|sign(?:ed)? ?in)|(?:log|sign) ?in (?:to (?:continue|your account|view|access)|with (?:google|email|your))|enter your (?:password|username|e-?mail)|forgot (?:your )?password|keep me (?:signed|logged) in|remember me|(?:passwort|kennwort) vergessen|angemeldet bleiben|mot de passe oublié|(?:olvidaste|olvidó|olvidado) (?:tu|su|la) contraseña|esquece(?:u|ste) (?:a |sua )?(?:senha|palavra-passe)|password dimenticata|wachtwoord vergeten|glömt (?:ditt )?lösenord|glemt (?:passord|adgangskode)|(?:nie pamiętasz|zapomniałeś) hasła|zapomenuté heslo|elfelejtett jelszó|забыли пароль|забули пароль|パスワードを(?:お)?忘れ|忘记密码|忘記密碼|비밀번호(?:를 잊|.{0,3}찾기)|şifremi unuttum|quên mật khẩu|lupa (?:kata sandi|password)|نسيت كلمة/iu;
const LOGIN_URL =
  /\/(?:log-?in|sign-?in|logon|auth(?:enticate|orize)?|sso|accounts?\/login|users?\/sign_in|session\/new|saml|oauth2?|wp-login\.php|checkpoint)(?:[./?#]|$)|^https?:\/\/(?:login|signin|sso|auth|accounts?|id|idp)\./i;
/** Returns true if the URL is that of a log-in page. */
export const isLoginAddress = (url: string): boolean => LOGIN_URL.test(url);
/** Signal of a log-in page. */
export const LOGIN_FORM = 'login form';
const UNAUTHORIZED = /\b401\b|requires? (?:an )?authentication/i;

/** Finds a log-in page: a 401, or a short page with a log-in. A log-in box beside content does not count. */
export function isLoginWall(input: ClassifyInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const wall: Finding = {
    errorCode: 'LOGIN_REQUIRED',
    reason: 'the page requires the visitor to log in',
    signals: [LOGIN_FORM],
  };
  if (httpStatus === 401) return evidence.passwordFields > 0 ? wall : { ...wall, signals: [] };
  if (evidence.mainWords >= 200 || evidence.paragraphs >= 6) return undefined;
  if (evidence.bodyWords >= 300 && !isTitledLogin(input)) return undefined;
  if (evidence.passwordFields === 0 && statesRefusal(evidence) && !UNAUTHORIZED.test(evidence.title)) return undefined;
  return formScore(evidence) + wordScore(evidence) + addressScore(input) >= 3 ? wall : undefined;
}

/** A longer part of a title or heading that does not start with the log-in has another subject, such as a question. */
const NAME_WORDS = 3;

const namesLogin = (title: string): boolean =>
  title.split(/\s[|\-–—•·]\s|[|:]/).some((part) => {
    const name = part.trim();
    const found = LOGIN_TITLE.exec(name);
    return found !== null && (found.index === 0 || name.split(/\s+/).length <= NAME_WORDS);
  });

/** True if the title, a heading or the URL names a log-in. A page with more words and without has a log-in box only. */
const isTitledLogin = (input: ClassifyInput): boolean =>
  namesLogin(input.evidence.title) || input.evidence.headings.slice(0, 3).some(namesLogin) || addressScore(input) > 0;

const hasLoginHeading = ({ headings }: PageEvidence): boolean =>
  headings.slice(0, 3).some((heading) => heading.length < 80 && LOGIN_TITLE.test(heading));

/** True if the page is little more than a form for an account: a password, or an account's name as the first step. */
function isAccountForm(evidence: PageEvidence): boolean {
  const { passwordFields, hiddenPasswordFields, accountFields, textFields, emailFields } = evidence;
  const fields = passwordFields + textFields + emailFields;
  const hasAccountField = passwordFields > 0 || accountFields > 0 || (hiddenPasswordFields > 0 && fields > 0);
  return hasAccountField && fields <= 3 && evidence.mainWords < 60 && evidence.bodyWords < 150 && evidence.links < 30;
}

function formScore(evidence: PageEvidence): number {
  let score = 0;
  if (evidence.passwordFields > 0) score += evidence.mainWords < 120 ? 2 : 1;
  if (isAccountForm(evidence)) score += evidence.passwordFields > 0 ? 1 : 3;
  if (evidence.bodyWords < 150 && evidence.formText.split(' ').some((part) => LOGIN_URL.test(part))) score += 1;
  if (evidence.emailFields > 0) score += 1;
  if (LOGIN_TITLE.test(` ${evidence.formText} `)) score += 1;
  if (evidence.links > 80 || evidence.repeatedBlocks > 12) score -= 2;
  return score;
}

function wordScore(evidence: PageEvidence): number {
  const { title, opening, formText, bodyWords } = evidence;
  let score = 0;
  // A log-in page that scripts fill has only its title.
  if (LOGIN_TITLE.test(title)) score += bodyWords < 15 && evidence.images < 3 ? 3 : 2;
  if (hasLoginHeading(evidence)) score += 1;
  if (LOGIN_TEXT.test(`${opening.slice(0, 1_500)} ${formText}`)) score += 1;
  if (UNAUTHORIZED.test(`${title} ${opening.slice(0, 200)}`)) score += 3;
  if (bodyWords < 20 && /^(?:.{0,60}\b)?(?:sign|log) ?in with\b/i.test(opening)) score += 3;
  return score;
}

/** A log-in URL counts more if the site redirected to it. */
function addressScore({ evidence, landedUrl, requestedUrl }: ClassifyInput): number {
  if (!LOGIN_URL.test(landedUrl) && !LOGIN_URL.test(evidence.canonical)) return 0;
  return landedUrl === requestedUrl ? 1 : 2;
}
