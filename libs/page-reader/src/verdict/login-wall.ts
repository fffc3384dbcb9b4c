import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { namesRefusal } from './refused.ts';
import { hasOwnText, isNamed, isStated, makesStatement, namesStatus, type Statement } from './statements.ts';
import {
  ACCOUNT_BODY_WORDS,
  ACCOUNT_FIELDS,
  ACCOUNT_FORM_WORDS,
  ACCOUNT_LINKS,
  BARE_TITLE_IMAGES,
  BARE_TITLE_WORDS,
  CONTENT_PARAGRAPHS,
  CONTENT_WORDS,
  FORM_TEXT_WORDS,
  LOGIN_BODY_WORDS,
  LOGIN_HEADING_CHARS,
  LOGIN_SCORE,
  NAME_WORDS,
  PASSWORD_WORDS,
  PRESENTED_WITHIN,
  PROVIDER_WORDS,
  PROVIDERS_WORDS,
  SITE_BLOCKS,
  SITE_LINKS,
} from './thresholds.ts';

const LOGIN_TITLE =
  /(?:^|[\s|\-–—:•·(])(?:log ?-?in|sign ?-?in|log ?on|sign ?on|signin|sso|single sign-on|anmelden|einloggen|anmeldung|connexion|se connecter|identifiez-vous|iniciar sesi[oó]n|inicia sesi[oó]n|acceder|entrar|iniciar sess[aã]o|fazer login|accedi|inloggen|aanmelden|logga in|logg inn|log ind|kirjaudu(?: sisään)?|zaloguj|logowanie|přihlásit(?: se)?|přihlášení|prihlásenie|bejelentkezés|autentificare|conectare|prijava|σύνδεση|увійти|вхід|войти|вход|авторизация|ログイン|サインイン|登录|登錄|登入|로그인|đăng nhập|masuk|เข้าสู่ระบบ|giriş(?: yap)?|oturum aç|تسجيل الدخول|התחברות|ورود|authenticat(?:e|ion) required|members only)(?:$|[\s|\-–—:•·,.!)])/iu;
const LOGIN_TEXT =
  /(?:please |you (?:must|need to|have to) )(?:be )?(?:log(?:ged)? ?in|sign(?:ed)? ?in)|(?:log|sign) ?in (?:to (?:continue|your account|view|access)|with (?:google|email|your))|enter your (?:password|username|e-?mail)|forgot (?:your )?password|keep me (?:signed|logged) in|remember me|(?:passwort|kennwort) vergessen|angemeldet bleiben|mot de passe oublié|(?:olvidaste|olvidó|olvidado) (?:tu|su|la) contraseña|esquece(?:u|ste) (?:a |sua )?(?:senha|palavra-passe)|password dimenticata|wachtwoord vergeten|glömt (?:ditt )?lösenord|glemt (?:passord|adgangskode)|(?:nie pamiętasz|zapomniałeś) hasła|zapomenuté heslo|elfelejtett jelszó|забыли пароль|забули пароль|パスワードを(?:お)?忘れ|忘记密码|忘記密碼|비밀번호(?:를 잊|.{0,3}찾기)|şifremi unuttum|quên mật khẩu|lupa (?:kata sandi|password)|نسيت كلمة/iu;
/** Sentences that require a log-in, in the most common languages. */
const DEMAND =
  /(?:you (?:must|need to|have to|should) (?:first )?(?:be )?|please |(?:only )?)(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|on) (?:first |now |or (?:register|sign up|create an account) |(?:with|using|into|to) your account |below )*(?:to|in order to|before|for) (?:continue|proceed|view|see|access|read|use|watch|download)\b|(?:you (?:must|need to|have to)) (?:first )?(?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:in|on)(?: or (?:register|sign up|create an account))?[.!]?$|you(?:['’]re| are) not (?:logged|signed) in or\b|(?:this (?:page|content|area|section|resource|site|feature|article)|access) (?:is |requires? |is only |is available )(?:only )?(?:an? )?(?:for|to|available (?:for|to)|restricted to|reserved for|visible to|limited to|log-?in|sign-?in|authentication|account|(?:registered|logged[- ]in|signed[- ]in) )|requires? (?:an )?(?:authentication|authorization|log-?in|you to (?:be )?(?:log|sign)(?:ged|ed)?[ -]?in)|to (?:read|continue|view|access|see|unlock|watch|proceed)[^.]{0,50}\b(?:log|sign)[ -]?in\b|(?:for )?(?:registered )?(?:members|subscribers) only|your session (?:has )?(?:expired|timed out|was locked)|(?:bitte )?(?:melden sie sich (?:bitte )?an|loggen sie sich (?:bitte )?ein)|(?:sie müssen|du musst) (?:sich|dich|angemeldet|eingeloggt)|(?:nur für )(?:angemeldete|registrierte|mitglieder)|(?:connectez|identifiez)-vous (?:pour|afin)|(?:vous devez|veuillez) (?:être connecté|vous (?:connecter|identifier))|réservée? aux (?:membres|abonnés)|(?:inicia|inicie) sesión (?:para|antes)|(?:debes|debe|tienes que|necesitas) (?:iniciar sesión|estar (?:registrado|conectado)|identificarte)|(?:faça|inicie) (?:o )?(?:login|sessão) para|(?:você )?(?:precisa|deve) (?:fazer login|estar (?:logado|conectado)|entrar)|(?:accedi|effettua (?:il login|l['’]accesso)) per|(?:devi|è necessario) (?:accedere|effettuare|essere)|(?:log in|meld je aan) om|(?:je moet|u moet) (?:ingelogd|inloggen|aangemeld)|(?:logga in|logg inn|log ind|log på) för? (?:att|å|at)|du (?:måste|må|skal) (?:vara inlogg|være (?:logget|innlogget)|logga|logge)|kirjaudu sisään (?:jatkaaksesi|nähdäksesi)|zaloguj się,? (?:aby|żeby)|musisz (?:być zalogowany|się zalogować)|přihlaste se|musíte (?:být přihlášen|se přihlásit)|jelentkezz(?:en)? be|autentifică-te|(?:войдите|авторизуйтесь)(?:,| в систему| чтобы| для)|необходимо (?:войти|авторизоваться)|(?:только )?для зарегистрированных|увійдіть|giriş yap(?:ın|malısınız|manız)|请(?:先)?登录|請(?:先)?登入|登录后(?:可|才|查看|继续)|需要登录|(?:ログイン|サインイン)(?:してください|が必要|すると)|로그인(?:이 필요|하세요|해 ?주세요|후)|vui lòng đăng nhập|silakan (?:masuk|login)|يرجى تسجيل الدخول|יש להתחבר/iu;
const LOGIN_URL =
  /\/(?:log-?in|sign-?in|logon|auth(?:enticate|orize)?|sso|accounts?\/login|users?\/sign_in|session\/new|saml|oauth2?|wp-login\.php|checkpoint)(?:[./?#]|$)|^https?:\/\/(?:login|signin|sso|auth|accounts?|id|idp)\./i;
/** Labels of buttons for the account of an identity provider. */
const PROVIDER =
  /(?:continue|sign[ -]?in|log[ -]?in|sign[ -]?up|anmelden|weiter|continuer|se connecter|continuar|entrar|accedi|doorgaan|войти) (?:with|using|mit|avec|con|com|met|через|с) (?:your )?[\p{L}-]+/giu;
/** Texts that accompany a log-in and are no content. */
const LOGIN_CONTEXT =
  /(?:create|open|request|register for) (?:an? |your |a new |my )?(?:free )?account|(?:don['’]t|do not|no) (?:have )?(?:an )?account|(?:not (?:yet )?a|new) (?:member|user|customer)|new (?:here|to|on)\b|already (?:have|a|registered)|(?:register|sign up|join)\b|welcome(?: back)?\b|remember me|forgot|keep me|by (?:signing|logging|continuing|clicking)|terms (?:of|and|&)|privacy|(?:registrier|konto erstellen|noch kein konto|willkommen|angemeldet bleiben|créer un compte|pas encore (?:de compte|inscrit)|inscri|bienvenue|crear una cuenta|no tienes cuenta|regístr|bienvenid|criar (?:uma )?conta|cadastr|bem-vind|registrati|benvenut|account aanmaken|registreer|welkom|skapa konto|opret|zarejestruj|załóż konto|registrovat|регистрац|зарегистр|нет аккаунта|kaydol|hesap oluştur|注册|註冊|新規登録|会員登録|회원가입)/iu;

/** Returns true if the URL is that of a log-in page. */
export const isLoginUrl = (url: string): boolean => LOGIN_URL.test(url);
/** Signal of a log-in page. */
export const LOGIN_FORM = 'login form';

/** A page that requires a log-in without a form for it. */
const DEMANDED: Statement = {
  sentence: DEMAND,
  names: (name) =>
    namesStatus(name, /^401$/) || /\b401\b.{0,5}(?:unauthori[sz]ed|authori[sz]ation)|^unauthori[sz]ed$/i.test(name),
  advice: new RegExp(`${ADVICE.source}|${LOGIN_CONTEXT.source}`, 'iu'),
};
/** What a page with a log-in says. */
const LOGIN: Statement = {
  sentence: new RegExp(`${LOGIN_TEXT.source}|${DEMAND.source}`, 'iu'),
  advice: LOGIN_CONTEXT,
};

/** Finds a log-in page: a 401, or a short page with a log-in. A log-in box beside content does not count. */
export function isLoginWall(input: ClassifyInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const wall: Finding = {
    errorCode: 'LOGIN_REQUIRED',
    reason: 'the page requires the visitor to log in',
    signals: [LOGIN_FORM],
  };
  if (httpStatus === 401) return evidence.passwordFields > 0 ? wall : { ...wall, signals: [] };
  if (evidence.mainWords >= CONTENT_WORDS || evidence.paragraphs >= CONTENT_PARAGRAPHS)
    return isPresentedLogin(input) ? wall : undefined;
  if (evidence.bodyWords >= LOGIN_BODY_WORDS && !isTitledLogin(input)) return undefined;
  if (evidence.passwordFields === 0 && namesRefusal(evidence) && !isNamed(evidence, DEMANDED)) return undefined;
  if (makesStatement(evidence, DEMANDED)) return wall;
  const proof = formScore(evidence) + textScore(evidence) + urlScore(input);
  const name = isProven(input) ? nameScore(evidence) : 0;
  return proof + name >= LOGIN_SCORE ? wall : undefined;
}

/** True for a log-in page with a form for a password under a title of its own, on which the site presents itself. */
const isPresentedLogin = (input: ClassifyInput): boolean =>
  input.evidence.passwordFields > 0 &&
  input.evidence.mainWords < PRESENTED_WITHIN &&
  !input.evidence.hasArticle &&
  namesLogin(input.evidence.title) &&
  LOGIN_TITLE.test(` ${input.evidence.formText} `);

const namesLogin = (title: string): boolean =>
  title.split(/\s[|\-–—•·]\s|[|:]/).some((part) => {
    const name = part.trim();
    const found = LOGIN_TITLE.exec(name);
    return found !== null && (found.index === 0 || name.split(/\s+/).length <= NAME_WORDS);
  });

/** True if the title, a heading or the URL names a log-in. A page with more words and without has a log-in box only. */
const isTitledLogin = (input: ClassifyInput): boolean =>
  namesLogin(input.evidence.title) || input.evidence.headings.slice(0, 3).some(namesLogin) || urlScore(input) > 0;

/**
 * True if something other than the title and headings speaks of a log-in, or the page has no other text. The words of a
 * title alone may be the subject of its page.
 */
function isProven(input: ClassifyInput): boolean {
  const { evidence, requestedUrl, landedUrl } = input;
  const { passwordFields, hiddenPasswordFields, accountFields, formText } = evidence;
  if (passwordFields + hiddenPasswordFields + accountFields > 0) return true;
  if (landedUrl !== requestedUrl && LOGIN_URL.test(landedUrl)) return true;
  if (LOGIN_TEXT.test(formText) || LOGIN_TITLE.test(` ${formText} `)) return true;
  return isStated(evidence, LOGIN) || !hasOwnText(evidence, LOGIN);
}

const hasLoginHeading = ({ headings }: PageEvidence): boolean =>
  headings.slice(0, 3).some((heading) => heading.length < LOGIN_HEADING_CHARS && LOGIN_TITLE.test(heading));

/** True if the page is little more than a form for an account: a password, or an account's name as the first step. */
function isAccountForm(evidence: PageEvidence): boolean {
  const { passwordFields, hiddenPasswordFields, accountFields, textFields, emailFields } = evidence;
  const fields = passwordFields + textFields + emailFields;
  const hasAccountField = passwordFields > 0 || accountFields > 0 || (hiddenPasswordFields > 0 && fields > 0);
  return (
    hasAccountField &&
    fields <= ACCOUNT_FIELDS &&
    evidence.mainWords < ACCOUNT_FORM_WORDS &&
    evidence.bodyWords < ACCOUNT_BODY_WORDS &&
    evidence.links < ACCOUNT_LINKS
  );
}

function formScore(evidence: PageEvidence): number {
  let score = 0;
  if (evidence.passwordFields > 0) score += evidence.mainWords < PASSWORD_WORDS ? 2 : 1;
  if (isAccountForm(evidence)) score += evidence.passwordFields > 0 ? 1 : 3;
  if (evidence.bodyWords < FORM_TEXT_WORDS && evidence.formText.split(' ').some((part) => LOGIN_URL.test(part)))
    score += 1;
  if (evidence.emailFields > 0) score += 1;
  if (LOGIN_TITLE.test(` ${evidence.formText} `)) score += 1;
  if (evidence.links > SITE_LINKS || evidence.repeatedBlocks > SITE_BLOCKS) score -= 2;
  return score;
}

/** Scores the title and headings. A log-in page that scripts fill has only its title. */
function nameScore(evidence: PageEvidence): number {
  const { title, bodyWords, images } = evidence;
  const titled = LOGIN_TITLE.test(title) ? (bodyWords < BARE_TITLE_WORDS && images < BARE_TITLE_IMAGES ? 3 : 2) : 0;
  return titled + (hasLoginHeading(evidence) ? 1 : 0);
}

function textScore(evidence: PageEvidence): number {
  const { opening, formText, bodyWords, sentences = [] } = evidence;
  const texts = sentences.some(({ text }) => LOGIN_TEXT.test(text)) || LOGIN_TEXT.test(formText);
  const only = bodyWords < PROVIDER_WORDS && /^(?:.{0,60}\b)?(?:sign|log) ?in with\b/i.test(opening);
  return (texts ? 1 : 0) + (only || offersProviders(evidence) ? 3 : 0);
}

/** True for a page with buttons of identity providers and little else. */
function offersProviders(evidence: PageEvidence): boolean {
  const links = (evidence.sentences ?? []).filter(({ kind }) => kind !== 'text').map(({ text }) => text);
  const named = [...`${evidence.formText} ${links.join(' ')}`.matchAll(PROVIDER)].length;
  return named >= 2 && evidence.bodyWords < PROVIDERS_WORDS && !hasOwnText(evidence, LOGIN);
}

/** A log-in URL counts more if the site redirected to it. */
function urlScore({ evidence, landedUrl, requestedUrl }: ClassifyInput): number {
  if (!LOGIN_URL.test(landedUrl) && !LOGIN_URL.test(evidence.canonical)) return 0;
  return landedUrl === requestedUrl ? 1 : 2;
}
