import type { ClassifyInput } from '../../src/verdict/classification.ts';

/** A page and the only answers that are true of it: its error code, or `ok` for a page that is kept. */
export interface VerdictCase {
  readonly name: string;
  readonly html: string;
  readonly accept: readonly string[];
  /** What the response has beside its body: 200 without headers by default. */
  readonly response?: Partial<ClassifyInput>;
}

/** Content of a page, in the order of its parts, between the chrome of a site. */
const site = (title: string, content: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>
  <header><a href="/">Northwind</a><nav><a href="/boats">Boats</a> <a href="/sails">Sails</a> <a href="/about">About us</a> <a href="/login">Log in</a></nav></header>
  <main>${content}</main><footer><p>© 2026 Northwind Boats. All rights reserved.</p><a href="/terms">Terms</a></footer></body></html>`;
const bare = (title: string, body: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
/** Chrome of a template that has no names: menus in plain boxes. */
const plain = (title: string, body: string): string =>
  `<html><head><title>${title}</title></head><body><div><a href="/">Home</a> <a href="/news">News</a> <a href="/shop">Shop</a> <a href="/contact">Contact</a></div>${body}<div><a href="/legal">Legal notice</a> <a href="/privacy">Privacy</a></div></body></html>`;

const missing = (name: string, html: string): VerdictCase => ({ name, html, accept: ['NOT_FOUND'] });
const login = (name: string, html: string): VerdictCase => ({ name, html, accept: ['LOGIN_REQUIRED'] });
const captcha = (name: string, html: string): VerdictCase => ({ name, html, accept: ['CAPTCHA', 'BLOCKED'] });
const refused = (name: string, html: string): VerdictCase => ({ name, html, accept: ['BLOCKED'] });
const failed = (name: string, html: string): VerdictCase => ({ name, html, accept: ['NETWORK'] });
const shell = (name: string, html: string): VerdictCase => ({ name, html, accept: ['SHELL'] });
const good = (name: string, html: string): VerdictCase => ({ name, html, accept: ['ok'] });

const SOFT_404: readonly VerdictCase[] = [
  missing('a short apology', site('404', '<h1>404</h1><p>We looked everywhere, but this page isn’t here.</p>')),
  missing(
    'a joke and a way back',
    site(
      'Page not found | Northwind',
      '<h1>Page not found.</h1><p>The sea took it.</p><p>Or maybe a gull.</p><a href="/">Back to Northwind</a>',
    ),
  ),
  missing(
    'an h3 and advice',
    plain(
      'Northwind',
      '<h3>Whoops!</h3><p>The page you were trying to reach has moved or never existed.</p><p>Check the address or use the search.</p><a href="/">Home</a>',
    ),
  ),
  missing('a title only', site('Page Not Found - Northwind', '')),
  missing(
    'popular products under the apology',
    site(
      'Page not found',
      `<h1>Page not found</h1><p>Unfortunately the page you requested could not be found.</p><h2>Popular products</h2><ul>${'<li><a href="/p/1">Brass lantern for small boats</a> €20</li>'.repeat(8)}</ul>`,
    ),
  ),
  missing(
    'a template that names it',
    `<html><head><title>Northwind</title></head><body class="error404 wp-theme"><main><h1>That drifted away.</h1><p>It seems nothing is moored at this location. Maybe try one of the links below or a search?</p><form role="search"><input type="search"><button>Search</button></form></main></body></html>`,
  ),
  missing(
    'a template of a shop system',
    `<html><head><title>Northwind</title></head><body class="template-404"><main><div class="page-width"><h1>404</h1><p>Dit was niet de bedoeling.</p><a href="/collections/all">Verder winkelen</a></div></main></body></html>`,
  ),
  missing(
    'an expired listing',
    site(
      'Listing no longer available',
      '<h1>This listing is no longer available</h1><p>The seller has removed it or it has been sold.</p><a href="/search">Similar listings</a>',
    ),
  ),
  missing(
    'a deleted profile',
    site(
      'Northwind',
      '<h1>Sorry, this page isn’t available.</h1><p>The link you followed may be broken, or the page may have been removed. Go back to Northwind.</p>',
    ),
  ),
  missing(
    'a host without the project',
    bare(
      'Site not found',
      '<h1>Site not found</h1><p>There isn’t a page here. If this is your site, check that the file name matches the address.</p>',
    ),
  ),
  missing(
    'a code block of a server',
    bare('404 Not Found', '<center><h1>404 Not Found</h1></center><hr><center>nginx/1.24.0</center>'),
  ),
  missing(
    'the default page of Apache',
    bare(
      '404 Not Found',
      '<h1>Not Found</h1><p>The requested URL was not found on this server.</p><hr><address>Apache/2.4.57 (Debian) Server at site.example Port 443</address>',
    ),
  ),
  missing(
    'a deployment that is gone',
    bare(
      '404: NOT_FOUND',
      '<p><strong>404</strong>: NOT_FOUND</p><p>Code: DEPLOYMENT_NOT_FOUND</p><p>This deployment cannot be found. For more information and troubleshooting, see our documentation.</p>',
    ),
  ),
  missing(
    'German',
    site(
      'Fehler 404 | Nordwind',
      '<h1>Hoppla!</h1><p>Diese Seite gibt es nicht (mehr). Vielleicht haben Sie sich vertippt?</p><a href="/">Zur Startseite</a>',
    ),
  ),
  missing(
    'German, formal',
    site(
      'Nicht gefunden',
      '<h1>Die angeforderte Seite wurde nicht gefunden</h1><p>Bitte überprüfen Sie die eingegebene Adresse.</p>',
    ),
  ),
  missing(
    'French',
    site(
      'Erreur 404',
      '<h1>Oups !</h1><p>La page que vous cherchez n’existe pas ou a été déplacée.</p><a href="/">Retour à l’accueil</a>',
    ),
  ),
  missing(
    'Spanish',
    site(
      'Página no encontrada',
      '<h1>¡Vaya!</h1><p>No hemos podido encontrar la página que buscas. Puede que se haya movido.</p><a href="/">Volver al inicio</a>',
    ),
  ),
  missing(
    'Portuguese',
    site('Erro 404', '<h1>Ops!</h1><p>A página que você procura não existe mais ou mudou de endereço.</p>'),
  ),
  missing(
    'Italian',
    site('Errore 404', '<h1>Pagina non trovata</h1><p>La pagina che stai cercando non esiste o è stata spostata.</p>'),
  ),
  missing(
    'Dutch',
    site('404', '<h1>Oeps, deze pagina bestaat niet meer</h1><p>Ga terug naar de homepage of zoek verder.</p>'),
  ),
  missing(
    'Swedish',
    site('404 | Nordan', '<h1>Sidan finns inte</h1><p>Sidan du letar efter har flyttats eller tagits bort.</p>'),
  ),
  missing(
    'Danish',
    site(
      'Siden findes ikke',
      '<h1>Øv!</h1><p>Vi kunne ikke finde den side, du ledte efter.</p><a href="/">Tilbage til forsiden</a>',
    ),
  ),
  missing(
    'Finnish',
    site('Sivua ei löytynyt', '<h1>Hups!</h1><p>Etsimääsi sivua ei löytynyt. Se on voitu poistaa tai siirtää.</p>'),
  ),
  missing(
    'Polish',
    site('Błąd 404', '<h1>Ups!</h1><p>Strona, której szukasz, nie istnieje lub została przeniesiona.</p>'),
  ),
  missing('Czech', site('Chyba 404', '<h1>Jejda</h1><p>Hledaná stránka neexistuje nebo byla přesunuta.</p>')),
  missing(
    'Russian',
    site(
      'Ошибка 404',
      '<h1>Упс!</h1><p>Страница не найдена. Возможно, она была удалена или перенесена.</p><a href="/">Вернуться на главную</a>',
    ),
  ),
  missing(
    'Turkish',
    site('Sayfa bulunamadı', '<h1>Üzgünüz</h1><p>Aradığınız sayfa kaldırılmış veya taşınmış olabilir.</p>'),
  ),
  missing(
    'Japanese',
    site('404', '<h1>ページが見つかりません</h1><p>お探しのページは移動したか、削除された可能性があります。</p>'),
  ),
  missing('Chinese', site('页面不存在', '<h1>抱歉</h1><p>您访问的页面不存在或已被删除。</p><a href="/">返回首页</a>')),
  missing(
    'Korean',
    site('404', '<h1>페이지를 찾을 수 없습니다</h1><p>요청하신 페이지가 삭제되었거나 주소가 변경되었습니다.</p>'),
  ),
  missing(
    'Arabic',
    site('خطأ 404', '<h1>عذرا</h1><p>الصفحة التي تبحث عنها غير موجودة.</p><a href="/">العودة إلى الصفحة الرئيسية</a>'),
  ),
  missing('Vietnamese', site('Lỗi 404', '<h1>Rất tiếc</h1><p>Trang bạn tìm kiếm không tồn tại hoặc đã bị xóa.</p>')),
];

const PASSWORD =
  '<form action="/session" method="post"><label>E-mail <input type="email" name="email"></label><label>Password <input type="password" name="password"></label><button>Sign in</button></form>';
const COPY =
  '<h2>Every boat in one place</h2><p>Northwind keeps the papers, the service dates and the moorings of your whole fleet together.</p><p>Harbours answer requests within a day, and your crew sees the plan on every phone.</p><p>More than four hundred yards already plan their winter storage with Northwind.</p>';

const LOGINS: readonly VerdictCase[] = [
  login(
    'a form beside marketing copy',
    site(
      'Sign in | Northwind',
      `<section>${COPY}</section><section><h1>Sign in</h1>${PASSWORD}<a href="/reset">Forgot your password?</a></section>`,
    ),
  ),
  login(
    'a form beside long marketing copy',
    site(
      'Log in to Northwind',
      `<section><h1>Log in</h1>${PASSWORD.replace('Sign in', 'Log in')}<a href="/reset">Forgot password?</a></section><section>${COPY.repeat(4)}</section>`,
    ),
  ),
  login(
    'a demand without a form',
    site(
      'Northwind',
      '<h1>Members area</h1><p>You must be logged in to view this page.</p><a href="/login">Log in</a> <a href="/join">Join</a>',
    ),
  ),
  login(
    'the message of a forum',
    plain(
      'Information',
      '<div><p>You are not logged in or you do not have permission to access this page.</p><p>You must be logged in to view this forum.</p></div>',
    ),
  ),
  login(
    'providers only',
    bare(
      'Northwind',
      '<h1>Welcome to Northwind</h1><div><button>Continue with Google</button><button>Continue with Microsoft</button><button>Sign in with SSO</button></div><p>By continuing you agree to the terms of service.</p>',
    ),
  ),
  login(
    'a first step for the address',
    bare(
      'Sign in - Northwind',
      '<h1>Sign in</h1><p>Use your Northwind account</p><form><input type="email" name="identifier" autocomplete="username"><button>Next</button></form><a href="/new">Create account</a>',
    ),
  ),
  login(
    'a one-time code by mail',
    bare(
      'Log in',
      '<h1>Log in or create an account</h1><p>We will send you a code.</p><form action="/login"><input type="email" name="email" placeholder="E-mail address"><button>Continue</button></form>',
    ),
  ),
  login(
    'a locked session',
    bare(
      'Northwind',
      '<h1>Session locked</h1><p>Your session has expired. Please enter your password to continue.</p><form><input type="password"><button>Unlock</button></form>',
    ),
  ),
  login(
    'an invitation-only area',
    site(
      'Private',
      '<h1>Private area</h1><p>This content is for registered members only. Please sign in to continue.</p>',
    ),
  ),
  login(
    'a form of an appliance',
    bare(
      'NW-3000',
      '<form><table><tr><td>Username</td><td><input name="user"></td></tr><tr><td>Password</td><td><input type="password" name="pw"></td></tr></table><input type="submit" value="Login"></form>',
    ),
  ),
  login(
    'German',
    site(
      'Anmelden',
      '<h1>Anmelden</h1><form><input name="benutzer"><input type="password"><button>Anmelden</button></form><a href="/p">Passwort vergessen?</a>',
    ),
  ),
  login(
    'a German demand',
    site('Mitgliederbereich', '<h1>Mitgliederbereich</h1><p>Bitte melden Sie sich an, um fortzufahren.</p>'),
  ),
  login(
    'a French demand',
    site('Espace abonnés', '<h1>Espace abonnés</h1><p>Vous devez être connecté pour accéder à cette page.</p>'),
  ),
  login(
    'a Spanish demand',
    site('Área privada', '<h1>Área privada</h1><p>Debes iniciar sesión para ver este contenido.</p>'),
  ),
  login(
    'a Russian demand',
    site('Личный кабинет', '<h1>Личный кабинет</h1><p>Необходимо войти, чтобы продолжить.</p>'),
  ),
  login('a Japanese demand', site('会員ページ', '<h1>会員ページ</h1><p>このページを見るにはログインが必要です。</p>')),
  login('a Chinese demand', site('提示', '<h1>提示</h1><p>请先登录后再访问此页面。</p>')),
];

const CAPTCHAS: readonly VerdictCase[] = [
  captcha(
    'a form of reCAPTCHA',
    bare(
      'Northwind',
      '<p>Please confirm that you are not a robot to go on.</p><form action="/verify"><div class="g-recaptcha" data-sitekey="k"></div><button>Submit</button></form>',
    ),
  ),
  captcha(
    'a form of hCaptcha with an explanation',
    bare(
      'Security check',
      '<h1>One more step</h1><p>Please complete the security check to access site.example.</p><div class="h-captcha" data-sitekey="k"></div><h2>Why do I have to complete a CAPTCHA?</h2><p>Completing the CAPTCHA proves you are a human and gives you temporary access to the web property.</p><h2>What can I do to prevent this in the future?</h2><p>If you are on a personal connection, you can run an anti-virus scan on your device to make sure it is not infected with malware.</p>',
    ),
  ),
  captcha(
    'Turnstile with one line',
    bare(
      'site.example',
      '<div>Verifying you are human. This may take a few seconds.</div><div class="cf-turnstile" data-sitekey="k"></div><div>site.example needs to review the security of your connection before proceeding.</div>',
    ),
  ),
  captcha(
    'characters of an image',
    bare(
      'Robot Check',
      '<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you’re not a robot. For best results, please make sure your browser is accepting cookies.</p><form action="/errors/validateCaptcha"><img src="/captcha.jpg"><input name="field-keywords"><button>Continue shopping</button></form>',
    ),
  ),
  captcha(
    'unusual traffic',
    bare(
      'https://site.example/search',
      '<p>Our systems have detected unusual traffic from your computer network. This page checks to see if it’s really you sending the requests, and not a robot.</p><div class="g-recaptcha" data-sitekey="k"></div>',
    ),
  ),
  captcha(
    'press and hold',
    bare(
      'Access to this page has been denied',
      '<h1>Press &amp; Hold to confirm you are a human (and not a bot).</h1><div id="px-captcha"></div><p>Reference ID 2f1</p>',
    ),
  ),
  captcha(
    'a pardon',
    bare(
      'Pardon Our Interruption',
      '<h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot. There are a few reasons this might happen: you’re a power user moving through this website with super-human speed, or you’ve disabled JavaScript or cookies in your web browser.</p>',
    ),
  ),
  captcha('a slider', bare('滑动验证', '<div id="nc_1">请拖动滑块完成验证</div><script>initGeetest({});</script>')),
  captcha(
    'a challenge of scripts alone',
    bare(
      'site.example',
      '<noscript>Enable JavaScript and cookies to continue</noscript><script>window._cf_chl_opt={cvId:"3"};</script>',
    ),
  ),
  captcha(
    'proof of work',
    bare(
      'Making sure you’re not a bot!',
      '<h1>Making sure you’re not a bot!</h1><p id="status">Loading...</p><script id="anubis_challenge" type="application/json">{}</script>',
    ),
  ),
  captcha(
    'a robot screen of a host',
    bare(
      'Robot Challenge Screen',
      '<h1>Checking the site connection security</h1><p>site.example needs to review the security of your connection before proceeding.</p>',
    ),
  ),
  captcha(
    'German',
    bare(
      'Sicherheitsprüfung',
      '<h1>Sicherheitsprüfung</h1><p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p><div class="g-recaptcha" data-sitekey="k"></div>',
    ),
  ),
  captcha(
    'French',
    bare(
      'Vérification',
      '<h1>Vérification de sécurité</h1><p>Veuillez confirmer que vous n’êtes pas un robot.</p><div class="h-captcha" data-sitekey="k"></div>',
    ),
  ),
  captcha(
    'Spanish',
    bare(
      'Comprobación de seguridad',
      '<p>Confirma que no eres un robot.</p><div class="g-recaptcha" data-sitekey="k"></div>',
    ),
  ),
  captcha(
    'Russian',
    bare(
      'Проверка',
      '<p>Подтвердите, что вы не робот.</p><div class="smart-captcha"></div><script src="https://smartcaptcha.yandexcloud.net/captcha.js"></script>',
    ),
  ),
];

const REFUSALS: readonly VerdictCase[] = [
  refused(
    'a firewall with an incident number',
    bare(
      'Request Rejected',
      'The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890',
    ),
  ),
  refused(
    'a firewall of a content system',
    bare(
      'Northwind',
      '<h1>Your access to this site has been limited by the site owner</h1><p>Your access to this service has been limited. (HTTP response code 503)</p><p>If you think you have been blocked in error, contact the owner of this site for assistance.</p>',
    ),
  ),
  refused(
    'not acceptable',
    bare(
      'Not Acceptable!',
      '<h1>Not Acceptable!</h1><p>An appropriate representation of the requested resource could not be found on this server. This error was generated by Mod_Security.</p>',
    ),
  ),
  refused(
    'a blocked network',
    bare(
      'Blocked',
      '<h1>Your IP address has been blocked</h1><p>We detected suspicious activity from your network.</p>',
    ),
  ),
  refused(
    'a private project',
    site(
      'Forbidden',
      '<h1>Forbidden.</h1><p>You tried to access something you didn’t have access to.</p><a href="/">Back to Northwind →</a>',
    ),
  ),
  refused(
    'a rule of the administrator',
    bare(
      'Web Page Blocked',
      '<h1>Web Page Blocked!</h1><p>Access to the web page you were trying to visit has been blocked in accordance with company policy. Please contact your system administrator if you believe this is in error.</p>',
    ),
  ),
  refused(
    'German',
    bare(
      'Zugriff verweigert',
      '<h1>Zugriff verweigert</h1><p>Sie haben keine Berechtigung, diese Seite aufzurufen.</p>',
    ),
  ),
  refused(
    'French',
    bare('Accès interdit', '<h1>Accès interdit</h1><p>Vous n’avez pas l’autorisation d’accéder à cette page.</p>'),
  ),
  refused(
    'Spanish',
    bare('Acceso denegado', '<h1>Acceso denegado</h1><p>No tienes permiso para acceder a esta página.</p>'),
  ),
  refused(
    'Russian',
    bare('Доступ запрещён', '<h1>Доступ запрещён</h1><p>У вас нет прав для просмотра этой страницы.</p>'),
  ),
  refused('Chinese', bare('访问被拒绝', '<h1>访问被拒绝</h1><p>您的请求被拦截，请联系管理员。</p>')),
  refused('Japanese', bare('403', '<h1>アクセスが拒否されました</h1><p>このページを閲覧する権限がありません。</p>')),
];

const CONSENT =
  '<h1>Before you continue to Northwind</h1><p>We use cookies and data to deliver and maintain our services, and to measure audience engagement.</p><p>If you choose to “Accept all”, we will also use cookies to show personalised ads.</p><button>Reject all</button><button>Accept all</button>';

const CONSENT_WALLS: readonly VerdictCase[] = [
  refused('a page that only asks for consent', bare('Before you continue', CONSENT)),
  refused(
    'a wall of a publisher',
    bare(
      'Northwind News',
      '<div class="consent-wall"><h2>We value your privacy</h2><p>We and our 842 partners store and access information on a device, such as cookies, and process personal data.</p><p>Read with advertising, or subscribe without tracking.</p><button>Accept and continue</button><a href="/pur">Subscribe</a></div>',
    ),
  ),
  refused(
    'a German wall',
    bare(
      'Nordwind',
      '<div id="consent"><h2>Weiter mit Werbung</h2><p>Wir und unsere Partner verwenden Cookies, um Inhalte und Werbung zu personalisieren.</p><button>Alle akzeptieren</button><button>Abo abschließen</button></div>',
    ),
  ),
  refused(
    'a gate for the age',
    bare(
      'Northwind Spirits',
      '<h1>Are you over 18?</h1><p>You must be of legal drinking age to enter this site.</p><button>Yes, enter</button><button>No</button>',
    ),
  ),
];

const APP = '<script type="module" src="/assets/index-1f2e.js"></script>';

const SHELLS: readonly VerdictCase[] = [
  shell(
    'a notice for visitors without scripts',
    bare('Northwind', `<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>${APP}`),
  ),
  shell(
    'a long notice with styles and a picture',
    bare(
      'Northwind',
      `<noscript><style>.n{color:red}</style><img src="/pixel.gif"><div class="n"><h1>JavaScript is off</h1><p>Northwind is an application and cannot be shown unless your browser runs JavaScript. Please turn it on and reload this page.</p></div></noscript><app-root></app-root>${APP}`,
    ),
  ),
  shell(
    'a spinner',
    bare('Northwind', `<div id="app"><div class="spinner"></div><p>Loading Northwind…</p></div>${APP}`),
  ),
  shell(
    'a header and a footer around nothing',
    bare(
      'Northwind',
      `<header><nav><a href="/">Home</a><a href="/b">Boats</a></nav></header><main id="main"></main><footer>© Northwind</footer>${APP}`,
    ),
  ),
  shell(
    'a notice in German',
    bare(
      'Nordwind',
      `<div id="app"></div><noscript>Bitte aktivieren Sie JavaScript, um diese Anwendung zu nutzen.</noscript>${APP}`,
    ),
  ),
  shell(
    'a refresh to another page',
    bare('Northwind', '<meta http-equiv="refresh" content="0;url=/en/"><p>Redirecting…</p>'),
  ),
];

const FAILURES: readonly VerdictCase[] = [
  failed(
    'maintenance of a content system',
    bare('Maintenance', 'Briefly unavailable for scheduled maintenance. Check back in a minute.'),
  ),
  failed(
    'maintenance with a date',
    site(
      'We’ll be back soon',
      '<h1>We’ll be back soon!</h1><p>Sorry for the inconvenience. We’re performing some maintenance at the moment. Otherwise we’ll be back online shortly.</p><p>— The Northwind team</p>',
    ),
  ),
  failed(
    'an upgrade',
    bare(
      'Northwind',
      '<h1>Northwind is being upgraded</h1><p>The site is temporarily unavailable while we are upgrading our system. Please try again in an hour.</p>',
    ),
  ),
  failed(
    'German maintenance',
    bare(
      'Wartung',
      '<h1>Wartungsarbeiten</h1><p>Unser Shop ist wegen Wartungsarbeiten vorübergehend nicht erreichbar.</p>',
    ),
  ),
  failed(
    'French maintenance',
    bare(
      'Maintenance',
      '<h1>Site en maintenance</h1><p>Notre site est actuellement en maintenance. Revenez bientôt.</p>',
    ),
  ),
  failed(
    'Japanese maintenance',
    bare('メンテナンス', '<h1>ただいまメンテナンス中です</h1><p>しばらくしてから再度アクセスしてください。</p>'),
  ),
  failed(
    'Russian maintenance',
    bare('Технические работы', '<h1>Ведутся технические работы</h1><p>Сайт скоро снова будет доступен.</p>'),
  ),
  failed(
    'a framework’s error page',
    bare(
      'We’re sorry, but something went wrong (500)',
      '<h1>We’re sorry, but something went wrong.</h1><p>If you are the application owner check the logs for more information.</p>',
    ),
  ),
  failed('a gateway', bare('502 Bad Gateway', '<center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>')),
  failed(
    'a friendly error',
    site(
      'Error',
      '<h1>Oh no!</h1><p>Something went wrong on our side. Our engineers have been notified and are working on it.</p><button>Try again</button>',
    ),
  ),
  failed(
    'a crashed function',
    bare(
      '500',
      '<h1>This Serverless Function has crashed.</h1><p>Your connection is working correctly. The server is working correctly.</p><p>500: INTERNAL_SERVER_ERROR</p>',
    ),
  ),
  failed('a database', bare('Database Error', '<h1>Error establishing a database connection</h1>')),
  failed(
    'a trace',
    bare('', '<b>Fatal error</b>:  Uncaught Error: Call to a member function get() on null in /var/www/index.php:12'),
  ),
  failed(
    'Spanish',
    site('Error', '<h1>Lo sentimos</h1><p>Se ha producido un error inesperado. Inténtelo de nuevo más tarde.</p>'),
  ),
  failed('Chinese', bare('系统错误', '<h1>系统繁忙</h1><p>服务器错误，请稍后再试。</p>')),
];

/** Pages of templates, servers and networks in common use. */
const TEMPLATES: readonly VerdictCase[] = [
  {
    name: 'an unexpected condition',
    html: bare(
      "We've got some trouble | 500 - Internal Server Error",
      '<div class="cover"><h1>Internal Server Error <small>500</small></h1><p class="lead">An unexpected condition was encountered.<br>Our service team has been dispatched to bring it back online.</p></div>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a backend without service',
    html: bare(
      "We've got some trouble | 502 - Webservice currently unavailable",
      "<h1>Webservice currently unavailable <small>502</small></h1><p>We've got some trouble with our backend upstream cluster.<br>Our service team has been dispatched to bring it back online.</p>",
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a method that is not implemented',
    html: bare(
      "We've got some trouble | 501 - Not Implemented",
      '<h1>Not Implemented <small>501</small></h1><p>The Webserver cannot recognize the request method.</p>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'scheduled maintenance',
    html: bare(
      "We've got some trouble | 533 - Scheduled Maintenance",
      '<h1>Scheduled Maintenance <small>533</small></h1><p>This site is currently down for maintenance.<br>Our service team is working hard to bring it back online soon.</p>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a bad request',
    html: bare(
      "We've got some trouble | 400 - Bad Request",
      '<h1>Bad Request <small>400</small></h1><p>The server cannot process the request due to something that is perceived to be a client error.</p>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a resource that is gone',
    html: bare(
      "We've got some trouble | 410 - Gone",
      '<h1>Gone <small>410</small></h1><p>The requested resource is no longer available at this server and no forwarding address is known.</p>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'a resource for others',
    html: bare(
      "We've got some trouble | 403 - Access Denied",
      '<h1>Access Denied <small>403</small></h1><p>The requested resource requires an authentication.</p>',
    ),
    accept: ['BLOCKED'],
  },
  {
    name: 'a limit in words',
    html: bare(
      "We've got some trouble | 429 - Too Many Requests",
      '<h1>Too Many Requests <small>429</small></h1><p>You have sent too many requests in a short period of time.</p>',
    ),
    accept: ['RATE_LIMITED'],
  },
  {
    name: 'an empty state for a missing page',
    html: bare(
      'Page 404 - Northwind',
      '<div class="empty"><div class="empty-header">404</div><p class="empty-title">Oops… You just found an error page</p><p class="empty-subtitle text-secondary">We are sorry but the page you are looking for was not found</p><div class="empty-action"><a href="./." class="btn">Take me home</a></div></div>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'an empty state for a failure',
    html: bare(
      'Page 500 - Northwind',
      '<div class="empty"><div class="empty-header">500</div><p class="empty-title">Oops… You just found an error page</p><p class="empty-subtitle">We are sorry but our server encountered an internal error</p><a href="./.">Take me home</a></div>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'an empty state for maintenance',
    html: bare(
      'Page maintenance - Northwind',
      '<div class="empty"><p class="empty-title">Temporarily down for maintenance</p><p class="empty-subtitle">We are performing scheduled maintenance. We should be back online shortly.</p><a href="./.">Take me home</a></div>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a card with a log-in',
    html: bare(
      'Sign in - Northwind',
      '<div class="card"><h2>Login to your account</h2><form action="./" method="get" autocomplete="off"><label>Email address</label><input type="email" placeholder="your@email.com" autocomplete="off"><label>Password <a href="./forgot-password.html">I forgot password</a></label><input type="password" placeholder="Your password"><button type="submit">Sign in</button></form><div>or</div><a href="#">Login with Github</a></div><div>Don\'t have account yet? <a href="./sign-up.html">Sign up</a></div>',
    ),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'a lock screen',
    html: bare(
      'Northwind | Lockscreen',
      '<div class="lockscreen-wrapper"><div class="lockscreen-logo"><a href="index2.html"><b>North</b>wind</a></div><div class="lockscreen-name">John Doe</div><form class="lockscreen-credentials"><input type="password" placeholder="password"><button type="button"></button></form><div class="help-block">Enter your password to retrieve your session</div><a href="login.html">Or sign in as a different user</a></div>',
    ),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'a registration with passwords',
    html: bare(
      'Northwind - Register',
      '<h1>Create an Account!</h1><form><input placeholder="First Name"><input placeholder="Last Name"><input type="email" placeholder="Email Address"><input type="password" placeholder="Password"><input type="password" placeholder="Repeat Password"><a href="login.html">Register Account</a></form><a href="#">Forgot Password?</a><a href="#">Already have an account? Login!</a>',
    ),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'a glitch inside a dashboard',
    html: bare(
      'Northwind - 404',
      '<ul class="sidebar"><li><a href="i">Dashboard</a></li><li><a>Components</a></li><li><a>Utilities</a></li><li><a>Pages</a></li><li><a>Charts</a></li><li><a>Tables</a></li></ul><div id="content"><nav><form><input placeholder="Search for..."></form><ul><li><h6>Alerts Center</h6><a><div>December 12, 2019</div><span>A new monthly report is ready to download!</span></a><a>December 7, 2019 $290.29 has been deposited into your account!</a><a>Show All Alerts</a></li></ul></nav><div class="container-fluid"><div class="text-center"><div class="error mx-auto" data-text="404">404</div><p class="lead">Page Not Found</p><p>It looks like you found a glitch in the matrix...</p><a href="index.html">&larr; Back to Dashboard</a></div></div><footer>Copyright &copy; Your Website 2020</footer></div>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'an error page inside a dashboard',
    html: bare(
      'Northwind | 404 Page not found',
      '<nav><a>Home</a><a>Contact</a></nav><aside><a>Dashboard</a><a>Widgets</a><a>Layout Options</a></aside><div class="content-wrapper"><section class="content-header"><h1>404 Error Page</h1><ol class="breadcrumb"><li><a>Home</a></li><li>404 Error Page</li></ol></section><section class="content"><div class="error-page"><h2>404</h2><div class="error-content"><h3>Oops! Page not found.</h3><p>We could not find the page you were looking for. Meanwhile, you may <a href="i">return to dashboard</a> or try using the search form.</p><form><input placeholder="Search"><button></button></form></div></div></section></div><footer><strong>Copyright</strong> All rights reserved. Version 3.2.0</footer>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'a failure inside a dashboard',
    html: bare(
      'Northwind | 500 Error',
      '<div class="content-wrapper"><section><h1>500 Error Page</h1></section><div class="error-page"><h2>500</h2><div><h3>Oops! Something went wrong.</h3><p>We will work on fixing that right away. Meanwhile, you may return to dashboard or try using the search form.</p></div></div></div>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a log-in that scripts fill',
    html: bare(
      'Northwind - Sign In',
      '<noscript><div>Javascript is required</div><h1>Javascript is disabled on your browser.</h1><p>Please enable Javascript and refresh this page.</p></noscript><div id="okta-sign-in"></div><script src="/js/okta.js"></script><script src="/js/b.js"></script>',
    ),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'a product that needs scripts',
    html: bare(
      'Northwind',
      '<div id="notion-app"></div><noscript>JavaScript must be enabled in order to use Northwind.<br/>Please enable JavaScript to continue.</noscript><script src="/app.js"></script>',
    ),
    accept: ['SHELL'],
  },
  {
    name: 'an application behind a cookie notice',
    html: bare(
      'Shop',
      '<div id="app"></div><div class="cookie-banner">We use cookies. <button>Accept</button></div><script src="/a.js"></script><script src="/b.js"></script><script src="/c.js"></script>',
    ),
    accept: ['SHELL'],
  },
  {
    name: 'a rule of a network',
    html: bare(
      'Access denied | site.example used Cloudflare to restrict access',
      '<div id="cf-wrapper"><div id="cf-error-details"><h1><span>Error</span> <span>1020</span></h1><h2>Access denied</h2><section><h2>What happened?</h2><p>This website is using a security service to protect itself from online attacks.</p></section><div>Cloudflare Ray ID: <strong>7f</strong> Your IP: 1.2.3.4 Performance & security by Cloudflare</div></div></div>',
    ),
    accept: ['BLOCKED'],
  },
  {
    name: 'a block that explains itself',
    html: bare(
      'Attention Required! | Cloudflare',
      '<h1 data-translate="block_headline">Sorry, you have been blocked</h1><h2>You are unable to access site.example</h2><h2>Why have I been blocked?</h2><p>This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution. There are several actions that could trigger this block including submitting a certain word or phrase, a SQL command or malformed data.</p><h2>What can I do to resolve this?</h2><p>You can email the site owner to let them know you were blocked. Please include what you were doing when this page came up and the Cloudflare Ray ID found at the bottom of this page.</p><p>Cloudflare Ray ID: 7 Your IP: 1 Performance & security by Cloudflare</p>',
    ),
    accept: ['BLOCKED'],
  },
  {
    name: 'a network without the server behind it',
    html: bare(
      'site.example | 521: Web server is down',
      '<h1><span>Web server is down</span> <span>Error code 521</span></h1><div>Visit cloudflare.com for more information.</div><div>2024-01-01 10:00:00 UTC</div><div>You Browser Working Frankfurt Cloudflare Working site.example Host Error</div><h2>What happened?</h2><p>The web server is not returning a connection. As a result, the web page is not displaying.</p><h2>What can I do?</h2><h3>If you are a visitor of this website:</h3><p>Please try again in a few minutes.</p><h3>If you are the owner of this website:</h3><p>Contact your hosting provider letting them know your web server is not responding. Additional troubleshooting information.</p>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a distribution that refuses',
    html: bare(
      'ERROR: The request could not be satisfied',
      "<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><hr>Request blocked. We can't connect to the server for this app or website at this time. There might be too much traffic or a configuration error. Try again later, or contact the app or website owner. <br>If you provide content to customers through CloudFront, you can find steps to troubleshoot and help prevent this error by reviewing the CloudFront documentation.<pre>Generated by cloudfront (CloudFront) Request ID: x</pre>",
    ),
    accept: ['BLOCKED'],
  },
  {
    name: 'a store that refuses, in XML',
    html: `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>X</RequestId><HostId>Y</HostId></Error>`,
    accept: ['BLOCKED'],
  },
  {
    name: 'a template with much chrome',
    html: bare(
      'Page Not Found | Harbour Motors',
      `<div class="topnav">${'<a href="/x">New vehicles</a> <a href="/y">Used inventory specials</a> <a href="/z">Schedule service today</a> '.repeat(12)}</div><div class="page"><h1>We’re Sorry!</h1><p>The page you are looking for may have been removed, had its name changed, or is temporarily unavailable. Try one of the links below.</p><a href="/new">Shop new inventory</a></div><div>${'Sales: Monday 9am to 8pm. Service: Tuesday 7am to 6pm. Parts closed on Sunday. '.repeat(8)}</div>`,
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'a private topic',
    html: bare(
      'Oops! That page doesn’t exist or is private.',
      '<h1 class="title">Oops! That page doesn’t exist or is private.</h1><div class="row page-not-found-topics"><h2>Popular</h2><a>Welcome to our community guidelines</a><a>How to use the search properly here</a><a>Introduce yourself to everyone please</a><h2>Recent</h2><a>Trip report from the northern islands</a><a>Selling a small boat trailer cheap</a></div>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'a form with help',
    html: bare(
      'Log in - Northwind',
      '<h1>Welcome to Northwind</h1><form><label>Username</label><input name="os_username"><label>Password</label><input type="password" name="os_password"><input type="checkbox"><label>Remember my login on this computer</label><p>Not a member? To request an account, please contact your Northwind administrators.</p><input type="submit" value="Log In"><a>Can\'t access your account?</a></form>',
    ),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'a runtime error',
    html: bare(
      'Runtime Error',
      '<span><h1>Server Error in \'/\' Application.<hr></h1><h2><i>Runtime Error</i></h2></span><b>Description: </b>An application error occurred on the server. The current custom error settings for this application prevent the details of the application error from being viewed remotely (for security reasons). It could, however, be viewed by browsers running on the local server machine.<br><b>Details:</b> To enable the details of this specific error message to be viewable on remote machines, please create a &lt;customErrors&gt; tag within a "web.config" configuration file.',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a page of an intranet',
    html: bare(
      'Sorry, something went wrong',
      "<h1>Sorry, something went wrong</h1><p>The page you're looking for doesn't exist.</p><a>Go back to site</a>",
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'a script alone',
    html: `<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=5"></script><body></body></html>`,
    accept: ['CAPTCHA'],
  },
  {
    name: 'a challenge with a notice',
    html: bare(
      'Human Verification',
      '<script>window.gokuProps={};</script><script src="https://x.token.awswaf.com/challenge.js"></script><div id="captcha-container"></div><noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you\'re not a robot. This requires JavaScript.</noscript>',
    ),
    accept: ['CAPTCHA'],
  },
  {
    name: 'a request being verified',
    html: bare(
      'One moment, please...',
      '<div>Please wait while your request is being verified...</div><script>setTimeout(()=>location.reload(),5000)</script>',
    ),
    accept: ['CAPTCHA'],
  },
  {
    name: 'a checkpoint',
    html: bare(
      'Vercel Security Checkpoint',
      "<p>We're verifying your browser</p><a>Website owner? Click here to fix</a>",
    ),
    accept: ['CAPTCHA'],
  },
  {
    name: 'a video of another region',
    html: bare(
      'Northwind TV',
      '<h1>Sorry!</h1><p>This video is not available in your region due to licensing restrictions.</p>',
    ),
    accept: ['GEO_RESTRICTED'],
  },
  {
    name: 'a refusal for Europe',
    html: bare(
      'Unavailable',
      '<p>We recognize you are attempting to access this website from a country belonging to the European Economic Area (EEA) including the EU which enforces the General Data Protection Regulation (GDPR) and therefore access cannot be granted at this time. For any issues, contact news@example.com or call 555.</p>',
    ),
    accept: ['GEO_RESTRICTED'],
  },
  {
    name: 'an article for readers with an account',
    html: bare(
      'Northwind Times',
      '<h1>Harbour opens again</h1><p>To read this article, log in or subscribe.</p><a href="/login">Log in</a>',
    ),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'a title over scripts',
    html: bare('Login • Photos', '<div></div><script src="a.js"></script>'),
    accept: ['LOGIN_REQUIRED'],
  },
  {
    name: 'an awkward page',
    html: bare(
      'Northwind',
      '<h1>404</h1><h6>Well, this is awkward.</h6><p>Nothing to see at this address.</p><a href="/">Go Home</a>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'an excuse',
    html: bare(
      'Uh oh!',
      '<h1>Uh oh!</h1><p>Sorry, the page you were looking for was not found.</p><p>You can search, or go to the homepage</p>',
    ),
    accept: ['NOT_FOUND'],
  },
  {
    name: 'an application without answer',
    html: bare(
      'Application Error',
      '<h1>Application error</h1><p>An error occurred in the application and your page could not be served. If you are the application owner, check your logs for details. You can do this from the Northwind CLI with the command <code>northwind logs --tail</code></p>',
    ),
    accept: ['NETWORK'],
  },
  {
    name: 'a parked name',
    html: bare(
      'northwind.example',
      '<h2>northwind.example is parked free, courtesy of the registrar</h2><p>Get this domain</p><a>Related searches</a>',
    ),
    accept: ['NETWORK'],
  },
];

/** Pages that are no content, whatever their status and title. */
export const BAD_PAGES: readonly (readonly [kind: string, cases: readonly VerdictCase[]])[] = [
  ['soft 404', SOFT_404],
  ['log-in', LOGINS],
  ['captcha', CAPTCHAS],
  ['refusal', REFUSALS],
  ['consent wall', CONSENT_WALLS],
  ['shell', SHELLS],
  ['failure', FAILURES],
  ['template', TEMPLATES],
];

/** Pages that have the words, the forms or the numbers of the pages above, and are content. */
export const GOOD_PAGES: readonly VerdictCase[] = [
  good(
    'an item with the number of a status',
    site(
      'Item 401 of the depot',
      '<h1>Item 401 of the depot</h1><p>A brass lantern for small boats, nine hours on one filling.</p>',
    ),
  ),
  good(
    'an item with the number of a server error',
    site('Item 500', '<h1>Item 500</h1><p>Hemp rope, twelve millimetres, in stock, €2.20 a metre.</p>'),
  ),
  good(
    'a house number',
    site(
      '404 Harbour Street',
      '<h1>404 Harbour Street</h1><p>Three rooms with a view of the bay, from June, €940 a month.</p>',
    ),
  ),
  good(
    'a page named gone',
    site(
      'Many /gone',
      `<h1>Many /gone</h1>${'<p>The ships left the bay in the autumn, and the harbour fell silent until the spring came.</p>'.repeat(14)}`,
    ),
  ),
  good(
    'a film',
    site(
      'Gone',
      '<h1>Gone</h1><p>Thriller, 2012, 94 minutes. A woman searches the forests of Oregon for her sister.</p>',
    ),
  ),
  good(
    'a song',
    site(
      'Sorry',
      '<h1>Sorry</h1><p>The second single of the album, recorded in Malmö in 2015 and released that autumn.</p>',
    ),
  ),
  good(
    'a book about denied access',
    site(
      'Access Denied',
      '<h1>Access Denied</h1><p>Edited by R. Deibert, MIT Press 2008. Twelve essays on the filtering of the internet.</p>',
    ),
  ),
  good(
    'a tale of a robot',
    site(
      'Are you a robot?',
      '<h1>Are you a robot?</h1><p>A play in two acts for four actors, first shown in Prague in January 1921.</p>',
    ),
  ),
  good(
    'a help page about signing in',
    site(
      'Sign in',
      '<h1>Sign in</h1><p>Open the app, choose the wheel in the corner and enter the number printed on your boat card.</p>',
    ),
  ),
  good(
    'a help page about a forgotten password',
    site(
      'Forgot your password? - Help',
      '<h1>Forgot your password?</h1><p>Passwords are set by the harbour office. Bring your boat papers to the counter on weekdays between nine and five, and a clerk sets a new one within minutes.</p><p>By post it takes a week.</p>',
    ),
  ),
  good(
    'maintenance as a service',
    site(
      'Maintenance',
      '<h1>Maintenance</h1><p>We service engines, masts and rigging every spring. A full check of a ten metre boat costs €480.</p>',
    ),
  ),
  good(
    'a status page without a fault',
    site(
      'System status',
      '<h1>All systems operational</h1><p>Booking, payments and the tide service have run without a fault for ninety days.</p>',
    ),
  ),
  good(
    'an empty search',
    site(
      'Search',
      '<h1>Search results</h1><p>0 boats match “catamaran”. Remove a filter to see all 48 boats in the harbour this week.</p>',
    ),
  ),
  good(
    'a sold-out product',
    site(
      'Brass lantern',
      '<h1>Brass lantern</h1><p>This item is no longer available.</p><p>Height 24 cm, weight 900 g, burns lamp oil, glass on four sides, hook for the mast, made in Emden since 1921.</p>',
    ),
  ),
  good(
    'a product named after an error',
    site(
      'Error 404 T-shirt - Northwind',
      '<h1>Error 404 T-shirt</h1><p>Organic cotton, 180 g, sizes S to XXL, printed in Hamburg. €24.00</p><button>Add to cart</button>',
    ),
  ),
  good(
    'a form for a query',
    site(
      'Contact',
      '<h1>Contact</h1><p>We answer within a day.</p><form><input name="name"><input type="email" name="email"><textarea></textarea><div class="g-recaptcha" data-sitekey="k"></div><button>Send</button></form>',
    ),
  ),
  good(
    'a form under an alarming title',
    site(
      'Access denied? Tell us',
      '<h1>Access denied? Tell us</h1><p>Write to the harbour office if your card does not open the pier gate.</p><form><input name="name"><input name="card"><textarea></textarea><button>Send</button></form>',
    ),
  ),
  good(
    'a registration',
    site(
      'Regatta registration',
      '<h1>Regatta registration</h1><p>Boats up to nine metres start on Saturday at ten. The fee of €30 is paid at the harbour office.</p><form><input name="boat"><input name="skipper"><input type="email" name="email"><button>Register</button></form>',
    ),
  ),
  good(
    'a newsletter form under the title of a log-in',
    site(
      'Login',
      '<h1>Login</h1><p>The village of Login lies in Carmarthenshire on the river Taf, with a chapel and an old railway halt.</p><form action="/newsletter"><input type="email" name="email"><button>Subscribe</button></form>',
    ),
  ),
  good(
    'a log-in box in a margin',
    site(
      'Opening hours',
      '<aside><form><input type="email"><input type="password"><button>Log in</button></form></aside><h1>Opening hours</h1><p>Open from nine to five on weekdays, on Saturdays from ten to two, closed in January.</p>',
    ),
  ),
  good(
    'a short page with a notice in noscript',
    bare(
      'Tide table',
      `<h1>Tide table</h1><p>High water today at 6:12 and 18:40, low water at 0:05 and 12:27, wind from the west.</p><noscript>Please enable JavaScript to see the map.</noscript>${APP}`,
    ),
  ),
  good(
    'a thank-you',
    bare('Thank you', '<h1>Thank you!</h1><p>Your order has been placed. A confirmation has been sent by mail.</p>'),
  ),
  good(
    'a short thread with a log-in for replies',
    plain(
      'Bilge pump? - Harbour forum',
      '<h1>Bilge pump?</h1><p>You are not logged in.</p><div class="post"><p>Which pump fits a nine metre boat?</p></div><div class="post"><p>The blue one.</p></div><p>You must log in or register to reply here.</p>',
    ),
  ),
  good(
    'a short post with a log-in for comments',
    site(
      'Ice on the bay',
      '<article><h1>Ice on the bay</h1><p>The bay froze last night, a week early.</p></article><p>You must be logged in to post a comment.</p>',
    ),
  ),
  good(
    'a product with a log-in for reviews',
    site(
      'Hemp rope',
      '<h1>Hemp rope</h1><p>Twelve millimetres, €2.20 a metre, in stock.</p><button>Add to basket</button><p>Please sign in to write a review.</p>',
    ),
  ),
  good(
    'a song with an apology in its title',
    site(
      'Sorry seems to be the hardest word',
      '<h1>Sorry seems to be the hardest word</h1><p>Elton John, 1976. 3:48 min.</p>',
    ),
  ),
  good(
    'a plan for maintenance',
    site(
      'Maintenance plan',
      '<h1>Maintenance plan</h1><p>Scheduled maintenance every 100 hours: oil, filter, belt. €180 for engines up to 40 kW.</p>',
    ),
  ),
  good(
    'a room with the number of a refusal',
    site('Room 403', '<h1>403</h1><p>Single room, €60, breakfast included.</p>'),
  ),
  good(
    'a poll with yes and no',
    site(
      'Poll',
      '<h1>Poll</h1><p>Are you over 60? Rate the new ferry times.</p><form><button>Yes</button><button>No</button></form>',
    ),
  ),
  good(
    'a cookie policy',
    site(
      'Cookie policy',
      '<h1>Cookie policy</h1><p>We use cookies to remember your basket for thirty days and your language for a year.</p><p>No cookie is shared with third parties, and none is set before you add an article to the basket.</p><p>You can delete them in your browser at any time.</p>',
    ),
  ),
  good(
    'a page below a cookie notice',
    bare(
      'Opening hours',
      '<div class="cookie-banner"><p>We use cookies to improve your experience.</p><button>Accept all</button><button>Reject all</button></div><h1>Opening hours</h1><p>Open from nine to five on weekdays, closed in January.</p>',
    ),
  ),
  good(
    'a recipe without spirits',
    site(
      'Over 18? Not needed',
      '<h1>Harbour punch</h1><p>Black tea, lemon, cloves and honey, for twelve cups. Boil the cloves for nine minutes.</p>',
    ),
  ),
  good(
    'a domain as goods',
    site(
      'Domain for sale: a guide to prices',
      '<h1>Domain for sale: a guide to prices</h1><p>A short name with a common ending sold for €2,100 on average last year, one with a hyphen for €140.</p>',
    ),
  ),
  good(
    'an article that quotes a refusal',
    site(
      'What a 403 means',
      '<h1>What a 403 means</h1><p>The server understood the request and will not fulfil it, for example because the folder has no index.</p><p>Give the user of the web server the right to read the files, and look into the log for the path.</p>',
    ),
  ),
  good(
    'a list of statuses',
    site(
      'HTTP status codes',
      `<h1>HTTP status codes</h1><table>${['401 Unauthorized', '403 Forbidden', '404 Not Found', '429 Too Many Requests', '500 Internal Server Error', '503 Service Unavailable'].map((row) => `<tr><td>${row}</td><td>described in section fifteen of RFC 9110</td></tr>`).join('')}</table>`,
    ),
  ),
  good(
    'a seasonal notice',
    site(
      'Ferry',
      '<h1>Ferry</h1><p>The ferry does not run in winter. From 1 April it leaves at eight, noon and six.</p>',
    ),
  ),
  good(
    'German',
    site(
      'Zimmer 404',
      '<h1>Zimmer 404</h1><p>Doppelzimmer mit Blick auf den Hafen, 24 Quadratmeter, Frühstück inbegriffen, ab 89 Euro.</p>',
    ),
  ),
  good(
    'German log-in as a subject',
    site(
      'Anmeldung zum Kurs',
      '<h1>Anmeldung zum Kurs</h1><p>Der Segelkurs beginnt am 4. Mai. Die Anmeldung ist bis Ende April im Hafenbüro möglich.</p>',
    ),
  ),
  good(
    'French',
    site(
      'Connexion des bateaux au quai',
      '<h1>Connexion des bateaux au quai</h1><p>Chaque place dispose d’une prise de seize ampères et d’un robinet d’eau douce.</p>',
    ),
  ),
  good(
    'Japanese',
    site('500', '<h1>500</h1><p>イタリアの小型車で、一九五七年に発売され、今も世界中で愛されています。</p>'),
  ),
  good(
    'Russian',
    site(
      'Вход в гавань',
      '<h1>Вход в гавань</h1><p>Глубина у северного входа четыре метра, ширина тридцать, огни видны на девять миль.</p>',
    ),
  ),
];
