import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import { FAILED } from './failures.ts';
import type { PageEvidence } from './page-evidence.ts';
import { namesRefusal } from './refused.ts';
import { hasOwnText, isNamed, isStated, leadsBack, namesStatus, ownWords, type Statement } from './statements.ts';
import {
  BARE_WORDS,
  KEPT_BODY_WORDS,
  KEPT_WORDS,
  LED_BACK_WITHIN,
  LONG_PARAGRAPHS,
  LONG_WORDS,
  MANY_PARAGRAPHS,
  MISSING_NAME_CHARS,
  MISSING_SCORE,
  NAMED_WITHIN,
  NOT_FOUND_OTHER_WORDS,
  NOT_FOUND_SHORT_WORDS,
  STATED_WITHIN,
  STATED_WORDS,
  STATUS_WORDS,
} from './thresholds.ts';

const MISSING_STATUS = /^4(?:04|10)$/;

/** "Not found" in the most common languages. */
const NOT_FOUND =
  /page (?:you (?:requested|are looking for|were looking for|tried)|requested)?.{0,40}(?:not (?:be )?found|doesn['’]t exist|does not exist|no longer (?:exists?|available)|cannot be found|can['’]t be found|is missing|isn['’]t available|has been (?:removed|moved|deleted))|(?:page|file|document|content|resource|post|article|product|item|listing|profile|repository|topic|thread|requested url) (?:was |is |could |can)?(?:not|n['’]t|no longer) (?:be )?(?:found|available|exist)|(?:can['’]?t|cannot|couldn['’]t|could not|unable to) (?:seem to )?find (?:the|that|this|what|your) ?(?:page|file|product|content|you)?|nothing (?:was )?found(?: here)?|(?:page|seite).{0,20}(?:nicht gefunden|existiert nicht)|nicht gefunden|(?:leider )?(?:konnte|wurde).{0,40}nicht gefunden|page (?:introuvable|non trouvée)|introuvable|p[áa]gina (?:no (?:encontrada|existe)|não encontrada|n[ãa]o existe)|no (?:se ha|se pudo) encontrad?o?|pagina (?:non trovata|niet gevonden)|niet gevonden|(?:sidan|siden) (?:hittades inte|blev ikke fundet|finnes ikke)|страница не найдена|не найден[ао]?|nie znaleziono|stránka nenalezena|sayfa bulunamadı|ページが?(?:見つかりません|ありません)|見つかりません(?:でした)?|(?:お探しの|指定された)ページ|页面(?:不存在|未找到|找不到)|找不到(?:页面|頁面|该页)|(?:页面|頁面)(?:走丢|無法找到)|페이지를 찾을 수 없|찾을 수 없습니다|الصفحة غير موجودة|(?:side|siden|sivua) (?:blev |ble )?(?:ikke (?:fundet|funnet)|ei löyt[a-zäö]+)|fant ikke siden|ei löydy|kan (?:inte|ikke) (?:hitta|finde|finne) (?:sidan|siden)|sidan (?:finns inte|kunde inte hittas|saknas)|deze pagina bestaat niet|die (?:gesuchte|angeforderte|aufgerufene) seite|existiert (?:leider )?nicht(?: mehr)?|(?:cette|la) page (?:n['’]existe (?:pas|plus)|demandée|que vous (?:recherchez|cherchez))|no (?:hemos|pudimos|podemos) encontra(?:do|r)|(?:no|não) encontramos (?:la|a|essa|esta) p[áa]gina|la p[áa]gina (?:que (?:buscas|busca|intentas)|solicitada)|a p[áa]gina (?:que (?:voc[êe] )?(?:procura|tentou|est[áa])|solicitada)|pàgina no trobada|la pagina (?:richiesta|che (?:stai cercando|cerchi))|pagina nu (?:a fost găsită|există)|strona (?:nie istnieje|nie została znaleziona|o podanym adresie)|nie znaleźliśmy|str[áa]nk[au] (?:nebyla nalezena|neexistuje|nebola nájdená|sa nenašla)|nenalezen[ao]?|az oldal nem (?:található|létezik)|a keresett oldal|stranica nije pronađena|stran ni bila najdena|страниц[а-я]+ (?:не существует|удалена)|сторінк[а-яі]+ не (?:знайдено|існує)|страницата не (?:е намерена|съществува)|η σελίδα δεν (?:βρέθηκε|υπάρχει)|aradığınız sayfa|sayfa (?:mevcut değil|bulunmuyor)|العثور على (?:هذه )?الصفحة|الصفحة (?:المطلوبة|التي تبحث)|(?:הדף|העמוד)(?: המבוקש)? (?:לא נמצא|אינו קיים)|(?:صفحه|برگه)(?:‌| )?.{0,20}(?:یافت|پیدا) نشد|पृष्ठ नहीं मिला|पेज नहीं मिला|ไม่พบหน้า|không tìm thấy trang|trang (?:bạn|này|không) .{0,30}(?:không tồn tại|tồn tại)|halaman (?:tidak ditemukan|yang anda cari)|(?:お探し|ご指定)の.{0,12}(?:見つかりません|存在しません|ございません)|(?:页面|頁面|网页|網頁|文章|内容|商品|帖子).{0,8}(?:不存在|已(?:被)?(?:删除|刪除|下架)|找不到|未找到)|(?:没有|沒有)找到.{0,6}(?:页面|頁面)|(?:존재하지 않는|삭제된|없는) 페이지|요청하신 페이지/iu;
/** Other sentences of pages that are missing. Longer pages have them about something else. */
const NOT_HERE =
  /(?:this|that|the|your|such) (?:page|link|url|site|project|deployment|room|ad|event|job|video|account|user|profile|store|shop|board|document|file|post|topic|thread|listing|product|item) (?:you (?:followed|requested|tried|were|are)[^.]{0,40} )?(?:(?:is|was|has|does|do|could|can|may|might|seems?)(?: not|n['’]t| no longer) (?:to )?(?:be )?(?:currently |been |yet |any ?more )?(?:found|available|exists?|here|there|working|accessible|active|live|valid|public|reachable|displayed|shown|loaded|located)|(?:is|has been|has|was|were|may have|may have been|might have|might have been|seems to (?:be|have been)) (?:missing|gone|removed|deleted|moved|renamed|unpublished|expired|unavailable|lost|broken|invalid|incorrect|private))|(?:couldn['’]?t|could not|can['’]?t|cannot|can not|didn['’]t|did not|unable to|not able to) (?:seem to )?(?:find|locate) (?:what|the|that|this|any|it|your|a)|(?:there['’]s|there is|there was) nothing (?:here|to see|at this)|there (?:isn['’]t|is not) a [\w ]{0,20}(?:page|site|here)|you(?:['’]ve| have)? (?:(?:seem|appear) to (?:be|have)|are|must be|look|taken|took|reached|hit|found|followed) (?:lost|a (?:wrong turn|dead end|broken|page that)|the wrong)|looks like you(?:['’]re| are) lost|(?:broken|dead|invalid|expired) (?:link|url)|doesn['’]t (?:seem to )?exist|no longer (?:exists?|available|here)|that page can['’]t be found|wrong turn|(?:inhalt|artikel|datei|dokument|angebot|anzeige|produkt|link|adresse|beitrag).{0,50}(?:nicht (?:gefunden|verfügbar|vorhanden|mehr)|existiert|gelöscht|entfernt)|seite.{0,50}(?:nicht (?:gefunden|verfügbar|vorhanden|mehr|erreichbar)|gelöscht|entfernt|verschoben)|(?:page|contenu|article|produit|annonce|document).{0,60}(?:n['’]existe|n['’]est (?:pas|plus) (?:disponible|accessible)|supprimée?|déplacée?|n['’]a pas (?:été|pu être) trouvée?)|(?:página|contenido|artículo|producto|anuncio).{0,60}(?:no (?:existe|se encuentra|se ha encontrado|se encontró|está disponible|ha sido encontrad)|(?:ha sido|fue) (?:eliminad|movid|borrad))|(?:página|conteúdo|artigo|produto|anúncio).{0,60}(?:não (?:existe|foi encontrad|pôde ser encontrad|está (?:mais )?disponível)|(?:foi|pode ter sido) (?:removid|excluíd|movid))|(?:pagina|contenuto|articolo|prodotto|annuncio).{0,60}(?:non (?:esiste|è (?:stat[oa] trovat|(?:più )?disponibil))|(?:è|potrebbe essere) stat[oa] (?:rimoss|eliminat|spostat))|pagina.{0,50}(?:bestaat (?:niet|helaas)|(?:kon|kan|is|werd) (?:helaas )?niet (?:worden )?gevonden|is verwijderd|is verplaatst)|sidan.{0,50}(?:finns (?:inte|tyvärr)|(?:har )?(?:tagits bort|flyttats)|kan inte (?:hittas|visas))|siden.{0,50}(?:findes ikke|finnes ikke|eksisterer ikke|ikke (?:fundet|funnet)|(?:er )?(?:fjernet|flyttet|slettet))|(?:kunne|kan) ikke (?:finde|finne)|sivu[a-z]*.{0,40}(?:ei (?:ole|löyd|ole olemassa)|poistettu|siirretty)|stron[aęy].{0,50}(?:nie (?:istnieje|została (?:znaleziona|odnaleziona)|ma)|(?:została )?(?:usunięta|przeniesiona))|stránk.{0,50}(?:neexistuje|nebyla (?:nalezena|nájdená)|byla (?:odstraněna|přesunuta)|nenašli)|oldal.{0,40}(?:nem (?:található|létezik|elérhető)|törölt)|pagin.{0,40}(?:nu (?:a fost găsit|există|mai)|a fost (?:ștearsă|mutată))|страниц.{0,60}(?:не (?:найден|существует|нашл)|удал[её]н|перемещен|устарел)|(?:ничего|такой страницы|такого адреса).{0,20}(?:не найден|нет|не существует)|мы не (?:нашли|можем найти)|сторінк.{0,50}(?:не (?:знайден|існує)|видален)|sayfa.{0,40}(?:bulunamadı|mevcut değil|kaldırıl|silin|taşın|yok)|(?:页面|頁面|网页|網頁|链接|連結|地址|内容|商品).{0,16}(?:不存在|已(?:被)?(?:删除|刪除|移除|失效|过期|過期)|找不到|未找到|走丢|飞走|丢失|無效|无效)|(?:您|你)(?:访问|要找|查找|浏览|訪問)的.{0,20}(?:不存在|找不到|已)|(?:ページ|記事|コンテンツ|URL).{0,30}(?:見つかりません|存在しません|ございません|削除され|移動し)|ページ[がは]ありません|(?:페이지|게시물|문서|주소).{0,30}(?:찾을 수 없|존재하지|삭제|변경되)|(?:الصفحة|المحتوى|الرابط).{0,40}(?:غير موجود|غير متوفر|لم (?:يتم|نتمكن)|حذف)|(?:الصفحة|صفحه).{0,30}(?:وجود ندارد|حذف شده)|(?:הדף|העמוד).{0,30}(?:לא (?:נמצא|קיים)|הוסר|אינו)|(?:पृष्ठ|पेज).{0,30}(?:नहीं|मौजूद नहीं)|(?:ไม่พบ|ไม่มี)(?:หน้า|เพจ|เนื้อหา)|trang.{0,30}(?:không (?:tồn tại|tìm thấy|có)|đã bị (?:xóa|xoá))|halaman.{0,30}(?:tidak (?:ditemukan|ada|tersedia)|(?:telah )?(?:dihapus|dipindahkan))/iu;

const MISSING: Statement = {
  sentence: new RegExp(`${NOT_FOUND.source}|${NOT_HERE.source}`, 'iu'),
  advice: ADVICE,
  canBeQuestion: true,
};
const MISSING_MARK =
  /^(?:page |file |resource )?not found\b|\bnot found\s*(?:$|[-–—|:(!])|\b404\s*(?:error|page|not found)|\b(?:error|http)\s*404\b|^gone$|^410 gone/i;
/** Names of pages that apologise, for whatever reason. */
const APOLOGY = /^(?:oops\b|(?:uh[- ]oh|whoops|sorry)[,!. ])/i;
const MISSING_URL = /\/(?:404|not-?found|page-?not-?found|error-?404|notfound|pagenotfound)(?:[./?]|$)/i;
/** Default messages of web servers and object stores. */
const BARE_PAGE =
  /^(?:(?:404 )?(?:page |file )?not found\.?$|cannot get \/|no such (?:page|file|key|bucket)|the specified (?:key|bucket) does not exist|no input file specified|\{\s*"(?:error|message|detail)"\s*:\s*"(?:[\w ]{0,30})?not found)|<Code>NoSuch(?:Key|Bucket)|NoSuch(?:Key|Bucket)/i;

/** Finds a 404 or 410, or a page under another status that says so. */
export function notFoundIn(input: ClassifyInput): Finding | undefined {
  const { httpStatus } = input;
  if (httpStatus === 404 || httpStatus === 410)
    return { errorCode: 'NOT_FOUND', reason: `the site answered ${httpStatus}`, signals: [] };
  return isSoftNotFound(input)
    ? { errorCode: 'NOT_FOUND', reason: 'the page says it was not found', signals: ['soft 404'] }
    : undefined;
}

/**
 * Returns true if a page has some features of a soft 404: its words, or a redirect from a deep URL to the front page.
 */
export const resemblesNotFound = (input: ClassifyInput): boolean =>
  scoreOf(input).total > 0 || landedOnFrontPage(input);

function landedOnFrontPage({ requestedUrl, landedUrl }: ClassifyInput): boolean {
  if (requestedUrl === landedUrl || !URL.canParse(requestedUrl) || !URL.canParse(landedUrl)) return false;
  const requested = new URL(requestedUrl);
  const landed = new URL(landedUrl);
  return landed.pathname === '/' && landed.search === '' && requested.pathname.split('/').filter(Boolean).length > 1;
}

/** How clearly a page says that nothing was found: by its title and headings, and in itself. */
interface MissingScore {
  readonly name: number;
  /** Score of its text, its template and its URL. */
  readonly proof: number;
  readonly total: number;
}

const NO_SCORE: MissingScore = { name: 0, proof: 0, total: 0 };

/** True for a page that is called missing and has proof of it or no text of its own, or that says so in little text. */
function isSoftNotFound(input: ClassifyInput): boolean {
  const { name, proof, total } = scoreOf(input);
  if (total < MISSING_SCORE) return false;
  const { evidence } = input;
  const words = ownWords(evidence, MISSING);
  // A page that is named a refusal or a failure may say what was not found for it.
  if (name === 0 && (namesRefusal(evidence) || isNamed(evidence, FAILED))) return false;
  if (name === 0) return words < STATED_WITHIN;
  if (proof > 0) return Math.min(words, evidence.mainWords) < NAMED_WITHIN;
  return !hasOwnText(evidence, MISSING) || (words < LED_BACK_WITHIN && leadsBack(evidence));
}

/** Scores the words of a page. Long content lowers the score: it may be an article about 404s. */
function scoreOf(input: ClassifyInput): MissingScore {
  const { evidence } = input;
  const headings = evidence.headings.slice(0, 3);
  const [titled, headed] = [nameScore(evidence.title), Math.max(0, ...headings.map(nameScore))];
  const name = titled + headed;
  const against = contentScore(evidence);
  // The text adds at most four points, so a long page is not searched if they cannot matter.
  if (evidence.mainWords >= KEPT_WORDS && evidence.bodyWords >= KEPT_BODY_WORDS && name + 4 <= against) return NO_SCORE;
  const proof = proofScore(input, name);
  const robots = name + proof > 0 && /noindex/i.test(evidence.robots) ? 1 : 0;
  // A page that has nothing but its name is what the name says.
  const bare = Math.max(titled, headed) >= 2 && !hasOwnText(evidence, MISSING) ? 1 : 0;
  return { name, proof, total: name + proof + robots + bare - against };
}

function proofScore({ evidence, requestedUrl, landedUrl }: ClassifyInput, name: number): number {
  const { sentences = [], mainWords, bodyWords, opening } = evidence;
  const isNamedOrShort = name > 0 || ownWords(evidence, MISSING) < NOT_FOUND_SHORT_WORDS;
  let score = landedUrl !== requestedUrl && MISSING_URL.test(landedUrl) ? 2 : 0;
  if (evidence.missingTemplate) score += 2;
  if (isStated(evidence, isNamedOrShort ? MISSING : { ...MISSING, sentence: NOT_FOUND }))
    score += mainWords < STATED_WORDS ? 2 : 1;
  if (sentences.slice(0, 5).some(({ text }) => namesStatus(text, MISSING_STATUS)) && mainWords < STATUS_WORDS)
    score += 1;
  if (score > 0 && ownWords(evidence, MISSING) < STATED_WITHIN) score += 1;
  if (bodyWords < BARE_WORDS && BARE_PAGE.test(opening)) score += MISSING_SCORE;
  return score;
}

const ARTICLE_OPENING =
  /^(?:how|why|what|when|understanding|fix(?:ing)?|handl(?:e|ing)|creat(?:e|ing)|design(?:ing)?|(?:a |the )?guide|\d+ (?:best|great|creative)|wie|warum|was|comment|pourquoi|cómo|por qué|como|por que|come|perché|hoe|waarom|как|почему|что)(?!\p{L})/iu;

/** Scores how clearly a title or heading calls its page missing. */
function nameScore(name: string): number {
  if (name.length >= MISSING_NAME_CHARS) return 0;
  if (namesStatus(name, MISSING_STATUS)) return 2;
  return Math.max(matchScore(name, MISSING.sentence, 3), matchScore(name, MISSING_MARK, 2), APOLOGY.test(name) ? 1 : 0);
}

function matchScore(name: string, pattern: RegExp, weight: number): number {
  const found = pattern.exec(name);
  if (found === null) return 0;
  const apart = /[|–—:•·]| - /;
  const before = name.slice(0, found.index).split(apart).at(-1) ?? '';
  const after = name.slice(found.index + found[0].length).split(apart)[0] ?? '';
  const others = `${before} ${after}`.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  return others > NOT_FOUND_OTHER_WORDS || ARTICLE_OPENING.test(before.trim()) ? 1 : weight;
}

/** Scores the content that speaks against a soft 404. */
function contentScore({ mainWords, paragraphs }: PageEvidence): number {
  if (mainWords > LONG_WORDS && paragraphs > LONG_PARAGRAPHS) return 4;
  return mainWords > LONG_WORDS || paragraphs > MANY_PARAGRAPHS ? 2 : 0;
}
