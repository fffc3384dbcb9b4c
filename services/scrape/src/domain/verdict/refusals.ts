import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { retryAfterSeconds, wallHeaderOf } from './response-headers.ts';

const REFUSAL =
  /access (?:to this (?:page|site|resource) )?(?:has been |is |was )?(?:denied|forbidden|blocked|restricted)|(?:you (?:have been|are|['’]ve been)|your (?:ip|request|access|connection)(?: address)? (?:has been|is|was)) (?:temporarily |permanently )?(?:blocked|denied|banned|rejected)|sorry,? you have been blocked|403 forbidden|^\s*forbidden|request (?:was )?(?:blocked|rejected|unsuccessful|could not be satisfied)|you don['’]t have (?:permission|authorization) to (?:access|view)|not (?:authorized|allowed) to (?:access|view)|blocked by (?:network security|our security)|incapsula incident|the requested url was rejected|web application firewall|security (?:policy|service) (?:to protect|violation)|reference #\d|ray id|zugriff (?:verweigert|blockiert|gesperrt)|acc[eè]s (?:refusé|interdit)|acceso (?:denegado|prohibido)|acesso (?:negado|proibido)|accesso (?:negato|vietato)|toegang geweigerd|odmowa dostępu|přístup (?:odepřen|zamítnut)|erişim engellendi|доступ (?:запрещ[её]н|ограничен|закрыт)|访问(?:被拒绝|受限|被阻断)|拒绝访问|アクセスが(?:拒否|制限)|액세스가 거부|접근이 (?:차단|거부)/i;

/** Returns true if the title or first heading states a refusal. */
export const statesRefusal = (evidence: PageEvidence): boolean =>
  REFUSAL.test(`${evidence.title}\n${evidence.heading}`);

/** Finds a refusal: a 403, or a page that says so. The wall is named if the headers identify it. */
export function isRefusal(input: ClassifyInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const wall = httpStatus >= 400 && httpStatus < 500 ? wallHeaderOf(input) : undefined;
  const refused = (signal: string): Finding => ({
    errorCode: 'BLOCKED',
    reason: 'the site refused the request',
    signals: wall === undefined ? [signal] : [signal, wall],
    ...(wall === undefined ? {} : { widget: wall }),
    climb: true,
  });
  if (httpStatus === 403 || httpStatus === 999) return refused('refused');
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408)
    return { ...refused('refused'), reason: `the site answered ${httpStatus}` };
  if (evidence.mainWords >= 150 || evidence.bodyWords >= 300) return undefined;
  if (statesRefusal(evidence)) return refused('access denied');
  return REFUSAL.test(evidence.opening.slice(0, 800)) && evidence.links < 15 ? refused('access denied') : undefined;
}

const TOO_MANY =
  /too many requests|rate[- ]limit(?:ed|s? (?:exceeded|reached))|being rate[- ]limited|request (?:limit|rate) (?:exceeded|reached)|exceeded .{0,30}(?:rate limit|number of requests)|(?:slow|calm) down[,.! ].{0,40}request|zu viele anfragen|trop de requêtes|demasiad(?:as|os) (?:solicitudes|peticiones|pedidos)|muit(?:as|os) (?:solicitações|pedidos|requisições)|troppe richieste|te veel verzoeken|слишком много запросов|リクエストが多すぎ|请求(?:过于频繁|次数过多|太频繁)|訪問(?:過於頻繁|太頻繁)|访问(?:过于频繁|太频繁)|요청이 너무 많/i;
const MAINTENANCE =
  /(?:under|undergoing|down for|offline for|closed for) (?:scheduled |routine |planned )?maintenance|^(?:scheduled |planned )?(?:site |system |website )?maintenance\b|maintenance (?:mode|in progress|break)|we['’]ll be (?:right )?back|wartungs(?:arbeiten|modus)|wird (?:gerade |derzeit )?gewartet|site en maintenance|maintenance en cours|(?:en|em) (?:mantenimiento|manutenção)|in manutenzione|in onderhoud|onderhoudswerkzaamheden|pågår underhåll|przerwa techniczna|prace (?:konserwacyjne|techniczne)|probíhá údržba|karbantartás alatt|bakım(?:da\b|dayız| çalışması)|технические работы|техническое обслуживание|メンテナンス中|维护中|維護中|점검 ?중|đang bảo trì/i;

/** Finds a rate limit: a 429, a 503 with Retry-After, or a short page that says so. */
export function rateLimitIn(input: ClassifyInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const waitSeconds = retryAfterSeconds(input);
  const opening = `${evidence.title}\n${evidence.heading}\n${evidence.opening.slice(0, 300)}`;
  const short = evidence.mainWords < 120 && evidence.bodyWords < 250 && evidence.links < 30;
  const matches = short && TOO_MANY.test(opening);
  const later = httpStatus === 503 && waitSeconds !== undefined && !MAINTENANCE.test(opening);
  if (httpStatus !== 429 && !later && !(matches && httpStatus !== 404)) return undefined;
  const what =
    httpStatus === 429 || later ? `the site answered ${httpStatus}` : 'the page says there were too many requests';
  const wait = waitSeconds === undefined ? '' : `, retry after ${waitSeconds} s`;
  return {
    errorCode: 'RATE_LIMITED',
    reason: `${what}${wait}`,
    signals: [...(matches ? ['too many requests'] : []), ...(wait === '' ? [] : [`retry after ${waitSeconds} s`])],
  };
}

const GEO =
  /(?:not|isn['’]t|un)\s?available (?:in|from|for|to users in) your (?:country|region|location|area|territory)|(?:your|this) (?:country|region|location) (?:is|has been) (?:blocked|restricted|not supported)|geo(?:graphic(?:al)?)?[- ]?(?:restrict|block)|due to (?:gdpr|legal reasons|licensing)|european economic area|(?:ihrem|deinem|diesem) land nicht verfügbar|(?:ihrer|deiner) region nicht verfügbar|pas (?:disponible|accessible) dans votre (?:pays|région)|no (?:está|se encuentra) disponible en (?:tu|su) (?:país|región|ubicación)|não (?:está )?disponível (?:no seu país|na sua região|em sua região)|non (?:è )?disponibile nel tuo paese|niet beschikbaar in (?:uw|jouw|je) (?:land|regio)|inte tillgänglig[at]* i ditt land|niedostępn[a-ząę]+ w (?:twoim|państwa) (?:kraju|regionie)|(?:ülkenizde|bölgenizde) (?:kullanılamıyor|mevcut değil|izlenemez)|недоступ[а-я]+ в ваше[мй] (?:стране|регионе)|お(?:住|す)まいの(?:国|地域).{0,20}(?:でき|いただけ)ません|(?:您|你)所在的?(?:国家|地区|國家|地區).{0,12}(?:无法|不可|不支持|無法|暂不)|(?:해당|귀하의|현재) (?:국가|지역)에서.{0,12}(?:없|제한)/i;

/** Finds a refusal by location: https://www.rfc-editor.org/rfc/rfc7725 */
export function geoRefusalIn({ httpStatus, evidence }: ClassifyInput): Finding | undefined {
  const matches = (): boolean => GEO.test(`${evidence.title} ${evidence.heading} ${evidence.opening.slice(0, 600)}`);
  if (httpStatus !== 451 && !(evidence.mainWords < 120 && evidence.links < 30 && matches())) return undefined;
  return {
    errorCode: 'GEO_RESTRICTED',
    reason: 'the site does not answer from this place',
    signals: ['geo restricted'],
  };
}

const ERROR_PAGE =
  /^(?:error\b|5\d\d\b|internal server error|server error|bad gateway|gateway time-?out|service (?:temporarily )?unavailable|application error|database error|something went wrong|an? (?:unexpected )?error (?:has )?occurred|runtime error|temporarily (?:offline|unavailable)|site (?:is )?(?:temporarily )?(?:down|offline|unavailable)|web server is down|(?:php )?(?:fatal|parse) error\s*:|traceback \(most recent call last\)|whitelabel error page|bandwidth limit exceeded)|\b5\d\d\s*(?:$|[-–—:|]|internal|bad|service|gateway|error)|(?:service|server|site) (?:is )?(?:currently |temporarily )?(?:unavailable|down|offline)|error establishing a database connection|server error in '|(?:uncaught|unhandled) (?:exception|error)|interner serverfehler|erreur (?:interne )?du serveur|error interno del servidor|erro interno do servidor|errore interno del server|внутренняя ошибка сервера|服务器(?:内部)?错误|サーバー(?:内部)?エラー/i;
const JSON_ERROR = /^\{\s*"errors?"\s*:\s*(?!null|false|\[\s*\]|\{\s*\}|""|0)/;
const SUSPENDED =
  /(?:account|site|website|hosting) (?:has been |is |was )?(?:temporarily )?(?:suspended|deactivated|disabled)|^(?:account )?suspended(?: page)?$|(?:konto|webseite|website) (?:ist |wurde )?gesperrt|(?:compte|site) suspendu|cuenta suspendida|conta suspensa|аккаунт (?:приостановлен|заблокирован)|сайт (?:временно )?(?:отключ[её]н|заблокирован)/i;
const PARKED =
  /(?:this |the )?(?:web ?site |web )?(?:domain|address|site)(?: name)?(?: [\w-]+(?:\.[\w-]+)+)? (?:is |may be |might be |could be |has been )?(?:currently )?(?:for sale|parked|expired|available for (?:purchase|sale))|buy this domain|(?:parked|parking) (?:free|page|domain)|domain (?:parking|has expired|expired)|future home of something|inquire about this domain|(?:diese )?domain (?:steht zum verkauf|ist geparkt|kaufen)|(?:ce )?(?:nom de )?domaine est (?:à vendre|en vente)|(?:este )?dominio (?:está en venta|en venta)|domínio (?:está )?à venda|домен (?:продается|продаётся|припаркован)|此?域名(?:正在)?出售|ドメイン(?:は)?(?:販売中|お名前\.com)/i;

/** Finds a name without a site: a parked domain, or a suspended account. */
export function isVacant({ evidence }: ClassifyInput): Finding | undefined {
  if (evidence.mainWords > 120 || evidence.bodyWords > 300) return undefined;
  const texts = [evidence.title, evidence.heading, evidence.opening.slice(0, 300)];
  const vacant = (reason: string, signal: string): Finding => ({ errorCode: 'NETWORK', reason, signals: [signal] });
  if (texts.some((text) => SUSPENDED.test(text))) return vacant('the site has been suspended by its host', 'suspended');
  if (evidence.parked || texts.some((text) => PARKED.test(text)))
    return vacant('the domain is parked: there is no site behind it', 'parked domain');
  return undefined;
}

/** Finds a server failure: a 5xx, a 408, or a short page that says so. */
export function isErrorPage({ httpStatus, evidence }: ClassifyInput): Finding | undefined {
  const failed = (reason: string, signal: string): Finding => ({ errorCode: 'NETWORK', reason, signals: [signal] });
  const texts = [evidence.title, evidence.heading, evidence.opening.slice(0, 200)];
  const small = evidence.mainWords < 80 && (evidence.bodyWords < 150 || /^error\b/i.test(evidence.title));
  const maintained = small && texts.some((text) => MAINTENANCE.test(text));
  if (httpStatus >= 500 || httpStatus === 408)
    return failed(`the site answered ${httpStatus}`, maintained ? 'maintenance' : 'server error');
  if (maintained) return failed('the page says the site is being maintained', 'maintenance');
  if (evidence.bodyWords < 60 && JSON_ERROR.test(evidence.opening))
    return failed('the response is an error in JSON', 'server error');
  return small && texts.some((text) => ERROR_PAGE.test(text))
    ? failed('the page says the server failed', 'server error')
    : undefined;
}
