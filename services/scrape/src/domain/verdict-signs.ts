import type { Finding, JudgeInput } from './verdict.ts';
import type { PageEvidence } from './verdict-evidence.ts';

/** "Not found" as titles and headings say it, in the languages most sites use. */
const NOT_FOUND_SENTENCE =
  /page (?:you (?:requested|are looking for|were looking for|tried)|requested)?.{0,40}(?:not (?:be )?found|doesn['’]t exist|does not exist|no longer (?:exists?|available)|cannot be found|can['’]t be found|is missing|isn['’]t available|has been (?:removed|moved|deleted))|(?:page|file|document|content|resource|post|article|product|item|listing|profile|repository|topic|thread|requested url) (?:was |is |could |can)?(?:not|n['’]t|no longer) (?:be )?(?:found|available|exist)|(?:can['’]?t|cannot|couldn['’]t|could not|unable to) (?:seem to )?find (?:the|that|this|what|your) ?(?:page|file|product|content|you)?|nothing (?:was )?found(?: here)?|(?:page|seite).{0,20}(?:nicht gefunden|existiert nicht)|nicht gefunden|(?:leider )?(?:konnte|wurde).{0,40}nicht gefunden|page (?:introuvable|non trouvée)|introuvable|p[áa]gina (?:no (?:encontrada|existe)|não encontrada|n[ãa]o existe)|no (?:se ha|se pudo) encontrad?o?|pagina (?:non trovata|niet gevonden)|niet gevonden|(?:sidan|siden) (?:hittades inte|blev ikke fundet|finnes ikke)|страница не найдена|не найден[ао]?|nie znaleziono|stránka nenalezena|sayfa bulunamadı|ページが?(?:見つかりません|ありません)|見つかりません(?:でした)?|(?:お探しの|指定された)ページ|页面(?:不存在|未找到|找不到)|找不到(?:页面|頁面|该页)|(?:页面|頁面)(?:走丢|無法找到)|페이지를 찾을 수 없|찾을 수 없습니다|الصفحة غير موجودة/iu;
const NOT_FOUND_MARK =
  /^(?:error\s*)?404\b|\b404\s*(?:error|page|not found|[-–—|:!])|\berror\s*404\b|(?:^|[-–—|:]\s*)404(?:\s*$|\s*[-–—|:])|^(?:page )?not found\b|\bnot found\s*(?:$|[-–—|:(])|^oops|^(?:uh[- ]oh|whoops|sorry)[,!. ]|\b(?:410|gone)\b\s*(?:error|$)/i;
const NOT_FOUND_URL = /\/(?:404|not-?found|page-?not-?found|error-?404|notfound|pagenotfound)(?:[./?]|$)/i;

/** A 404 or 410, or a page that says so under another status. */
export function notFoundIn({ httpStatus, evidence, landedUrl, askedUrl }: JudgeInput): Finding | undefined {
  if (httpStatus === 404 || httpStatus === 410)
    return { errorCode: 'NOT_FOUND', reason: `the site answered ${httpStatus}`, signals: [] };
  const score = softNotFound(evidence, landedUrl !== askedUrl && NOT_FOUND_URL.test(landedUrl));
  return score >= 3
    ? { errorCode: 'NOT_FOUND', reason: 'the page says it was not found', signals: ['soft 404'] }
    : undefined;
}

/** How strongly a page says that there is nothing here. Long content speaks against it: articles on 404s exist. */
function softNotFound(evidence: PageEvidence, landedOnError: boolean): number {
  const { title, mainWords, opening } = evidence;
  const headings = evidence.headings.slice(0, 3);
  let score = landedOnError ? 2 : 0;
  if (NOT_FOUND_MARK.test(title)) score += 2;
  if (NOT_FOUND_SENTENCE.test(title)) score += 3;
  if (headings.some((heading) => NOT_FOUND_MARK.test(heading))) score += 2;
  if (headings.some((heading) => heading.length < 140 && NOT_FOUND_SENTENCE.test(heading))) score += 3;
  if (NOT_FOUND_SENTENCE.test(opening.slice(0, 1_500))) score += mainWords < 150 ? 2 : 1;
  if (/\b404\b/.test(opening.slice(0, 600)) && mainWords < 120) score += 1;
  if (score > 0 && /noindex/i.test(evidence.robots)) score += 1;
  if (mainWords > 250 || evidence.paragraphs > 8) score -= 2;
  return score;
}

const NEEDS_SCRIPT =
  /(?:enable|requires?|need|turn on|activate|without|aktivieren|activer|habilit\w+).{0,40}java ?script|java ?script.{0,60}(?:enable|required|disabled|activat|must be|needed|turned off|aktivier|désactivé|nécessaire)|unsupported browser|browser.{0,30}not supported/i;

/** A page whose content only scripts would write. A server-rendered application has its words and is none. */
export function isShell({ evidence, rendered, httpStatus }: JudgeInput): Finding | undefined {
  if (rendered || httpStatus >= 400 || !looksEmpty(evidence)) return undefined;
  return {
    errorCode: 'SHELL',
    reason: 'the page is an empty application that scripts would fill',
    signals: ['app shell'],
    climb: true,
  };
}

function looksEmpty(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, scripts, emptyAppRoot, noscriptText, loadingText, scriptChars } = evidence;
  const wantsScript = NEEDS_SCRIPT.test(noscriptText) || (bodyWords < 80 && NEEDS_SCRIPT.test(evidence.opening));
  if (emptyAppRoot && (bodyWords < 60 || contentWords < 5)) return true;
  if (wantsScript && contentWords < 40) return true;
  if (scripts === 0) return bodyWords < 8 && (evidence.opening.includes('...') || evidence.opening.includes('…'));
  if (bodyWords < 4) return true;
  if (loadingText && bodyWords < 60) return true;
  if (bodyWords < 15 && (scripts > 2 || scriptChars > 2_000)) return true;
  return evidence.appRoot && contentWords < 15 && scriptChars > 20_000 && evidence.links < 5;
}
