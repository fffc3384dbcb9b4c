import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';

/** "Not found" in titles and headings, in the most common languages. */
const NOT_FOUND_SENTENCE =
  /page (?:you (?:requested|are looking for|were looking for|tried)|requested)?.{0,40}(?:not (?:be )?found|doesn['’]t exist|does not exist|no longer (?:exists?|available)|cannot be found|can['’]t be found|is missing|isn['’]t available|has been (?:removed|moved|deleted))|(?:page|file|document|content|resource|post|article|product|item|listing|profile|repository|topic|thread|requested url) (?:was |is |could |can)?(?:not|n['’]t|no longer) (?:be )?(?:found|available|exist)|(?:can['’]?t|cannot|couldn['’]t|could not|unable to) (?:seem to )?find (?:the|that|this|what|your) ?(?:page|file|product|content|you)?|nothing (?:was )?found(?: here)?|(?:page|seite).{0,20}(?:nicht gefunden|existiert nicht)|nicht gefunden|(?:leider )?(?:konnte|wurde).{0,40}nicht gefunden|page (?:introuvable|non trouvée)|introuvable|p[áa]gina (?:no (?:encontrada|existe)|não encontrada|n[ãa]o existe)|no (?:se ha|se pudo) encontrad?o?|pagina (?:non trovata|niet gevonden)|niet gevonden|(?:sidan|siden) (?:hittades inte|blev ikke fundet|finnes ikke)|страница не найдена|не найден[ао]?|nie znaleziono|stránka nenalezena|sayfa bulunamadı|ページが?(?:見つかりません|ありません)|見つかりません(?:でした)?|(?:お探しの|指定された)ページ|页面(?:不存在|未找到|找不到)|找不到(?:页面|頁面|该页)|(?:页面|頁面)(?:走丢|無法找到)|페이지를 찾을 수 없|찾을 수 없습니다|الصفحة غير موجودة|(?:side|siden|sivua) (?:blev |ble )?(?:ikke (?:fundet|funnet)|ei löyt[a-zäö]+)|fant ikke siden|ei löydy|kan (?:inte|ikke) (?:hitta|finde|finne) (?:sidan|siden)|sidan (?:finns inte|kunde inte hittas|saknas)|deze pagina bestaat niet|die (?:gesuchte|angeforderte|aufgerufene) seite|existiert (?:leider )?nicht(?: mehr)?|(?:cette|la) page (?:n['’]existe (?:pas|plus)|demandée|que vous (?:recherchez|cherchez))|no (?:hemos|pudimos|podemos) encontra(?:do|r)|(?:no|não) encontramos (?:la|a|essa|esta) p[áa]gina|la p[áa]gina (?:que (?:buscas|busca|intentas)|solicitada)|a p[áa]gina (?:que (?:voc[êe] )?(?:procura|tentou|est[áa])|solicitada)|pàgina no trobada|la pagina (?:richiesta|che (?:stai cercando|cerchi))|pagina nu (?:a fost găsită|există)|strona (?:nie istnieje|nie została znaleziona|o podanym adresie)|nie znaleźliśmy|str[áa]nk[au] (?:nebyla nalezena|neexistuje|nebola nájdená|sa nenašla)|nenalezen[ao]?|az oldal nem (?:található|létezik)|a keresett oldal|stranica nije pronađena|stran ni bila najdena|страниц[а-я]+ (?:не существует|удалена)|сторінк[а-яі]+ не (?:знайдено|існує)|страницата не (?:е намерена|съществува)|η σελίδα δεν (?:βρέθηκε|υπάρχει)|aradığınız sayfa|sayfa (?:mevcut değil|bulunmuyor)|العثور على (?:هذه )?الصفحة|الصفحة (?:المطلوبة|التي تبحث)|(?:הדף|העמוד)(?: המבוקש)? (?:לא נמצא|אינו קיים)|(?:صفحه|برگه)(?:‌| )?.{0,20}(?:یافت|پیدا) نشد|पृष्ठ नहीं मिला|पेज नहीं मिला|ไม่พบหน้า|không tìm thấy trang|trang (?:bạn|này|không) .{0,30}(?:không tồn tại|tồn tại)|halaman (?:tidak ditemukan|yang anda cari)|(?:お探し|ご指定)の.{0,12}(?:見つかりません|存在しません|ございません)|(?:页面|頁面|网页|網頁|文章|内容|商品|帖子).{0,8}(?:不存在|已(?:被)?(?:删除|刪除|下架)|找不到|未找到)|(?:没有|沒有)找到.{0,6}(?:页面|頁面)|(?:존재하지 않는|삭제된|없는) 페이지|요청하신 페이지/iu;
const NOT_FOUND_MARK =
  /^(?:error\s*)?404\b|\b404\s*(?:error|page|not found|[-–—|:!])|\berror\s*404\b|(?:^|[-–—|:]\s*)404(?:\s*$|\s*[-–—|:])|^(?:page )?not found\b|\bnot found\s*(?:$|[-–—|:(])|^oops|^(?:uh[- ]oh|whoops|sorry)[,!. ]|\b(?:410|gone)\b\s*(?:error|$)/i;
const NOT_FOUND_URL = /\/(?:404|not-?found|page-?not-?found|error-?404|notfound|pagenotfound)(?:[./?]|$)/i;
/** Default messages of web servers and object stores. */
const BARE_ANSWER =
  /^(?:(?:404 )?(?:page |file )?not found\.?$|cannot get \/|no such (?:page|file|key|bucket)|the specified (?:key|bucket) does not exist|no input file specified|\{\s*"(?:error|message|detail)"\s*:\s*"(?:[\w ]{0,30})?not found)|<Code>NoSuch(?:Key|Bucket)|NoSuch(?:Key|Bucket)/i;

/** Minimum score of a soft 404. Lower scores above 0 are a signal only. */
const NOT_FOUND_SCORE = 3;

/** Finds a 404 or 410, or a page under another status that says so. */
export function notFoundIn(input: ClassifyInput): Finding | undefined {
  const { httpStatus } = input;
  if (httpStatus === 404 || httpStatus === 410)
    return { errorCode: 'NOT_FOUND', reason: `the site answered ${httpStatus}`, signals: [] };
  return softNotFound(input) >= NOT_FOUND_SCORE
    ? { errorCode: 'NOT_FOUND', reason: 'the page says it was not found', signals: ['soft 404'] }
    : undefined;
}

/**
 * Returns true if a page has some features of a soft 404: its words, or a redirect from a deep URL to the front page.
 */
export const resemblesNotFound = (input: ClassifyInput): boolean => softNotFound(input) > 0 || landedOnFrontPage(input);

function landedOnFrontPage({ requestedUrl, landedUrl }: ClassifyInput): boolean {
  if (requestedUrl === landedUrl || !URL.canParse(requestedUrl) || !URL.canParse(landedUrl)) return false;
  const requested = new URL(requestedUrl);
  const landed = new URL(landedUrl);
  return landed.pathname === '/' && landed.search === '' && requested.pathname.split('/').filter(Boolean).length > 1;
}

/**
 * Scores how clearly a page says that nothing was found. Long content lowers the score: it may be an article about
 * 404s.
 */
function softNotFound({ evidence, requestedUrl, landedUrl }: ClassifyInput): number {
  const { title, mainWords, opening } = evidence;
  const headings = evidence.headings.slice(0, 3);
  let score = landedUrl !== requestedUrl && NOT_FOUND_URL.test(landedUrl) ? 2 : 0;
  score += titleScore(title, NOT_FOUND_MARK, 2) + titleScore(title, NOT_FOUND_SENTENCE, 3);
  score += maxScore(headings, NOT_FOUND_MARK, 2) + maxScore(headings.filter(isBrief), NOT_FOUND_SENTENCE, 3);
  const against = contentScore(evidence);
  // Opening and robots add at most two points, so a long page is not searched if they cannot matter.
  if (mainWords >= 150 && evidence.bodyWords >= 40 && score + 2 <= against) return 0;
  if (NOT_FOUND_SENTENCE.test(opening.slice(0, 1_500))) score += mainWords < 150 ? 2 : 1;
  if (/\b404\b/.test(opening.slice(0, 600)) && mainWords < 120) score += 1;
  if (evidence.bodyWords < 40 && BARE_ANSWER.test(opening)) score += NOT_FOUND_SCORE;
  if (score > 0 && /noindex/i.test(evidence.robots)) score += 1;
  return score - against;
}

const isBrief = (heading: string): boolean => heading.length < 140;
const maxScore = (texts: string[], pattern: RegExp, weight: number): number =>
  Math.max(0, ...texts.map((text) => titleScore(text, pattern, weight)));

const ARTICLE_OPENING =
  /^(?:how|why|what|when|understanding|fix(?:ing)?|handl(?:e|ing)|creat(?:e|ing)|design(?:ing)?|(?:a |the )?guide|\d+ (?:best|great|creative)|wie|warum|was|comment|pourquoi|cómo|por qué|como|por que|come|perché|hoe|waarom|как|почему|что)(?!\p{L})/iu;

/** A title with little else counts in full. Among other words it may be the title of an article. */
function titleScore(text: string, pattern: RegExp, weight: number): number {
  const found = pattern.exec(text);
  if (found === null) return 0;
  const apart = /[|–—:•·]| - /;
  const before = text.slice(0, found.index).split(apart).at(-1) ?? '';
  const after = text.slice(found.index + found[0].length).split(apart)[0] ?? '';
  const others = `${before} ${after}`.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  return others > 4 || ARTICLE_OPENING.test(before.trim()) ? 1 : weight;
}

/** Scores the content that speaks against a soft 404. */
function contentScore({ mainWords, paragraphs }: PageEvidence): number {
  if (mainWords > 250 && paragraphs > 4) return 4;
  return mainWords > 250 || paragraphs > 8 ? 2 : 0;
}
