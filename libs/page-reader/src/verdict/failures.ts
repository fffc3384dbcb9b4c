import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import { hasPart, makesStatement, namesStatus, type Statement } from './statements.ts';
import { ERROR_BODY_WORDS, PARKED_BODY_WORDS, PARKED_WORDS } from './thresholds.ts';

/** A page that says the site is being maintained. */
export const MAINTENANCE: Statement = {
  names: (title) =>
    hasPart(title, /^(?:scheduled |planned )?(?:site |system |website )?maintenance(?: (?:page|work|notice))?[.!]?$/i),
  sentence:
    /(?:under|undergoing|down for|offline for|closed for) (?:scheduled |routine |planned )?maintenance|maintenance (?:mode|in progress|break)|we['’]ll be (?:right )?back|wartungs(?:arbeiten|modus)|wird (?:gerade |derzeit )?gewartet|site en maintenance|maintenance en cours|(?:en|em) (?:mantenimiento|manutenção)|in manutenzione|in onderhoud|onderhoudswerkzaamheden|pågår underhåll|przerwa techniczna|prace (?:konserwacyjne|techniczne)|probíhá údržba|karbantartás alatt|bakım(?:da\b|dayız| çalışması)|(?:briefly|temporarily) (?:unavailable|down|offline) for|(?:performing|doing|carrying out|scheduled for|some) (?:\w+ ){0,3}maintenance|(?:we['’]re|we are|site is|is) (?:currently )?(?:updating|upgrading) (?:our|the|this) (?:site|website|system|service)|wegen wartung|wartung(?:sarbeiten)? (?:nicht|vorübergehend)|(?:opération|travaux) de maintenance|(?:tareas|labores|trabajos) de mantenimiento|manutenzione (?:programmata|in corso)|underhålls(?:arbete|läge)|under vedligeholdelse|vedlikehold(?:smodus| pågår)|huoltokatko|karbantart|mentenanță|профилактические работы|технічні роботи|tetkik çalışması|系统(?:维护|升级)|系統維護|システムメンテナンス|(?:서버|시스템) 점검|pemeliharaan|الصيانة|תחזוקה|технические работы|техническое обслуживание|メンテナンス中|维护中|維護中|점검 ?중|đang bảo trì/i,
  advice: ADVICE,
};
/** A page that says the server failed. */
export const FAILED: Statement = {
  sentence:
    /^(?:error\b|(?:http )?(?:error )?5\d\d (?:error|internal|bad|service|gateway|server)|internal server error|server error|bad gateway|gateway time-?out|service (?:temporarily )?unavailable|application error|database error|internal[ _]server[ _]error|an? (?:unexpected )?error (?:has )?occurred|runtime error|temporarily (?:offline|unavailable)|site (?:is )?(?:temporarily )?(?:down|offline|unavailable)|web server is down|(?:php )?(?:fatal|parse) error\s*:|traceback \(most recent call last\)|whitelabel error page|bandwidth limit exceeded)|\b5\d\d\s+(?:internal|bad gateway|service unavailable|gateway|error\b)|something (?:went wrong|(?:broke|blew up) on our)|(?:encountered|experienced|had|have|there (?:was|is|has been)) an? (?:unexpected|internal|server|technical|temporary|unknown)(?: server| technical| internal)? (?:condition|error|problem|issue|fault)|unable to (?:process|complete|handle|fulfil+) (?:your|this|the) request|(?:can(?:not|['’]t)|could(?: not|n['’]t)) (?:process|complete|handle) (?:your|this|the) request|technical difficult(?:y|ies)|\berrors? (?:has |have )?occurred (?:on|in|while|during|when|processing)|server is not (?:returning|responding)|\binternal[ _]server[ _]error\b|(?:we['’](?:ve got|re having|re experiencing)|we (?:have|are having|are experiencing)|(?:is|are|currently) (?:having|experiencing)) (?:some |a |an |technical |temporary )*(?:trouble|problem|issue|difficult|outage)|(?:back|bring it|come|everything) (?:back )?(?:up and running|online)|(?:^|\s)(?:web ?service|server|service|website|system)s? (?:is |are )?(?:currently |temporarily )?(?:unavailable|down|offline)|(?:function|application|app|process|server) (?:has |is )?(?:crashed|timed out)|(?:the|this) page isn['’]t working|could not connect to (?:the )?(?:database|server|upstream)|upstream (?:connect|request)|no healthy upstream|(?:service|website|seite|server) (?:ist )?(?:derzeit |momentan |vorübergehend |zurzeit )?nicht (?:verfügbar|erreichbar)|(?:es ist )?ein (?:\w+ )?fehler (?:ist )?aufgetreten|(?:une )?erreur (?:interne|inattendue|technique|est survenue|s['’]est produite)|service (?:temporairement )?indisponible|(?:se ha producido|ha ocurrido|ocurrió) un error|(?:servicio|sitio) (?:temporalmente )?no disponible|(?:ocorreu|aconteceu) um erro|(?:serviço|site) (?:temporariamente )?indisponível|si è verificato un errore|servizio (?:temporaneamente )?non disponibile|er (?:is|heeft zich) (?:iets|een \w*fout)|(?:dienst|website) (?:is )?(?:tijdelijk )?niet beschikbaar|ett (?:\w+ )?fel (?:har )?(?:inträffa|uppst)|(?:der opstod|det oppstod) en feil|der er sket en fejl|tapahtui virhe|wystąpił (?:nieoczekiwany |wewnętrzny )?błąd|(?:usługa|strona) (?:jest )?(?:tymczasowo )?niedostępna|došlo k (?:neočekávané )?chybě|hiba történt|a apărut o eroare|произошла (?:\w+ )?ошибка|(?:сервис|сайт|сервер) (?:временно )?недоступен|виникла помилка|bir hata oluştu|(?:系统|系統|服务|服務|网络)(?:器)?(?:错误|錯誤|异常|異常|繁忙|不可用)|(?:予期しない)?エラーが発生|サービス(?:は)?(?:一時的に)?利用できません|(?:서버|시스템|내부)?\s?오류가 발생|đã xảy ra lỗi|terjadi kesalahan|حدث خطأ|אירעה שגיאה|(?:service|server|site) (?:is )?(?:currently |temporarily )?(?:unavailable|down|offline)|error establishing a database connection|server error in '|(?:uncaught|unhandled) (?:exception|error)|interner serverfehler|erreur (?:interne )?du serveur|error interno del servidor|erro interno do servidor|errore interno del server|внутренняя ошибка сервера|服务器(?:内部)?错误|サーバー(?:内部)?エラー/i,
  names: (name) => namesStatus(name, /^5[0-3]\d$/),
  advice: ADVICE,
};
const JSON_ERROR = /^\{\s*"errors?"\s*:\s*(?!null|false|\[\s*\]|\{\s*\}|""|0)/;
const SUSPENDED: Statement = {
  sentence:
    /(?:account|site|website|hosting) (?:has been |is |was )?(?:temporarily )?(?:suspended|deactivated|disabled)|^(?:account )?suspended(?: page)?$|(?:konto|webseite|website) (?:ist |wurde )?gesperrt|(?:compte|site) suspendu|cuenta suspendida|conta suspensa|аккаунт (?:приостановлен|заблокирован)|сайт (?:временно )?(?:отключ[её]н|заблокирован)/i,
  advice: ADVICE,
};
const PARKED: Statement = {
  sentence:
    /(?:this |the )?(?:web ?site |web )?(?:domain|address|site)(?: name)?(?: [\w-]+(?:\.[\w-]+)+)? (?:is |may be |might be |could be |has been )?(?:currently )?(?:for sale|parked|expired|available for (?:purchase|sale))|buy this domain|(?:parked|parking) (?:free|page|domain)|domain (?:parking|has expired|expired)|future home of something|inquire about this domain|(?:diese )?domain (?:steht zum verkauf|ist geparkt|kaufen)|(?:ce )?(?:nom de )?domaine est (?:à vendre|en vente)|(?:este )?dominio (?:está en venta|en venta)|domínio (?:está )?à venda|домен (?:продается|продаётся|припаркован)|此?域名(?:正在)?出售|ドメイン(?:は)?(?:販売中|お名前\.com)/i,
  advice: ADVICE,
};

/** Finds a name without a site: a parked domain, or a suspended account. */
export function isVacant({ evidence }: ClassifyInput): Finding | undefined {
  const vacant = (reason: string, signal: string): Finding => ({ errorCode: 'NETWORK', reason, signals: [signal] });
  if (makesStatement(evidence, SUSPENDED)) return vacant('the site has been suspended by its host', 'suspended');
  const isParked = evidence.parked && evidence.mainWords <= PARKED_WORDS && evidence.bodyWords <= PARKED_BODY_WORDS;
  return isParked || makesStatement(evidence, PARKED)
    ? vacant('the domain is parked: there is no site behind it', 'parked domain')
    : undefined;
}

/** Finds a server failure: a 5xx, a 408, or a page that says so. */
export function isErrorPage({ httpStatus, evidence }: ClassifyInput): Finding | undefined {
  const failed = (reason: string, signal: string): Finding => ({ errorCode: 'NETWORK', reason, signals: [signal] });
  const maintained = makesStatement(evidence, MAINTENANCE);
  if (httpStatus >= 500 || httpStatus === 408)
    return failed(`the site answered ${httpStatus}`, maintained ? 'maintenance' : 'server error');
  if (maintained) return failed('the page says the site is being maintained', 'maintenance');
  if (evidence.bodyWords < ERROR_BODY_WORDS && JSON_ERROR.test(evidence.opening))
    return failed('the response is an error in JSON', 'server error');
  return makesStatement(evidence, FAILED) ? failed('the page says the server failed', 'server error') : undefined;
}
