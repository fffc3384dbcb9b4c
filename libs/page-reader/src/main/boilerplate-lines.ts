/**
 * Patterns of short lines and headings that accompany an article without being part of it, in the most common languages
 * of the web.
 */

const either = (...patterns: string[]): string => `(?:${patterns.join('|')})`;

const MONTHS =
  'jan(?:uar[yi]?|vier|uari)?|feb(?:ruar[yi]?|rero|braio)?|f[ée]v(?:rier|ereiro)?|m[aä]r(?:ch|z|s|zo|ço)?|apr(?:il(?:e|is)?)?|abr(?:il)?|avr(?:il)?|ma[iyj]|mayo|maio|maggio|mei|jun[ei]?|juin|junio|junho|giugno|jul[yi]?|juillet|julio|julho|luglio|aug(?:ust(?:us)?)?|ao[uû]t|agosto|sep(?:t(?:ember|embre|iembre)?)?|setembro|settembre|o[ck]t(?:ober|obre|ubre)?|ottobre|outubro|nov(?:ember|embre|iembre|embro)?|de[cz](?:ember|embre|embro)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?';
const DAY = '(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\\s+)?';
const TIME =
  '(?:,?\\s*(?:at\\s+|um\\s+|@\\s*|[-–|•·]\\s*)?\\d{1,2}[:.h]\\d{2}(?::\\d{2})?\\s*(?:[ap]\\.?m\\.?|uhr)?(?:\\s*\\(?(?:[A-Z]{2,5}|[+-]\\d{2}:?\\d{2})\\)?)?)?';
const DATE = either(
  `${DAY}\\d{1,2}(?:st|nd|rd|th|\\.|er)?\\s+(?:de\\s+|of\\s+)?(?:${MONTHS})\\.?,?\\s+(?:de\\s+)?\\d{4}`,
  `${DAY}(?:${MONTHS})\\.?\\s+\\d{1,2}(?:st|nd|rd|th)?,?\\s+\\d{4}`,
  '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}',
  '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{4}',
  '\\d{4}\\s*[年년]\\s*\\d{1,2}\\s*[月월]\\s*\\d{1,2}\\s*[日일]',
);

/** A line with only a date, optionally with a time or a reading time. */
export const DATE_LINE = new RegExp(
  `^(?:(?:on|am|le|el)\\s+)?${DATE}T?${TIME}(?:\\s*[|•·,–-]?\\s*\\d{1,3}[\\s-]*min(?:ute)?s?(?:\\s+read)?)?[.,|]?$`,
  'iu',
);

/** A byline followed by its date, or a date followed by its byline. */
export const BYLINE_DATE = new RegExp(
  `^(?:by\\s+\\p{Lu}[^.!?]{2,60}?[,|•·–-]?\\s+(?:on\\s+)?${DATE}|${DATE}${TIME}\\s*[,|•·–-]?\\s*by\\s+\\p{Lu}[^.!?]{2,60})`,
  'iu',
);

/** The name of an author after its preposition. Case matters: "By the end of the course". */
export const BYLINE = /^(?:(?:[Bb]y|BY)\s+\p{Lu}|[Vv]on\s+\p{Lu}\p{L}+\s+\p{Lu}\p{L}+$)/u;

export const BOILERPLATE_LINE =
  /^(?:(?:first\s+)?published|updated|posted|last (?:updated|modified)|read (?:more|also|next)|see also:|related:|also read|advertis|sponsored|follow us|share this|share on|sign up|subscribe|copyright|©|photo(?:graph)?(?:\s+by|:)|image(?:\s+credit|:)|credit:|source:\s*$|click here|click to|skip to|jump to|print$|email$|comments?(?:\s*\(?\d+\)?)?$|loading|continue reading|story continues|leave a (?:comment|reply)|view comments|\d+ comments?$|tags?:|filed under|categories:|topics?:|veröffentlicht|aktualisiert|teilen$|drucken$|lesen sie (?:auch|mehr)|mehr zum thema|foto:|bild(?:quelle)?:|schlagw(?:ort|örter)|publi(?:é|cado|cato)|mis à jour|partager$|lire aussi|à lire aussi|leer también|lee también|compartir$|leia (?:também|mais)|veja também|compartilhar|leggi anche|condividi|lees ook|baca juga|bagikan|читайте также|поделиться|фото:|источник:|اقرأ أيضا|اقرأ أيضًا|शेयर|यह भी पढ़ें|ये भी पढ़ें|ilgili haber|责任编辑|責任編輯|编辑[:：]|編輯[:：]|作者[:：]|来源[:：]|來源[:：]|发布时间|發布時間|发布于|更新时间|原标题|原標題|阅读(?:量|数|原文|全文)|点击(?:查看|阅读)|分享到|收藏|举报|扫码|扫一扫|版权(?:声明|所有)|转载请|文章标签|标签[:：]|公開日|更新日|投稿日|関連記事|シェア|기자\s|입력\s|무단\s?전재|댓글)/iu;

export const TRAILING_HEADING =
  /^(?:related(?: (?:articles?|stories|posts?|content|topics?|links|reading|news))?|read (?:more|next|also)|more (?:from|stories|news|on|in|like|articles).*|you (?:may|might) (?:also )?(?:like|enjoy|be interested).*|recommended(?: .*)?|(?:leave|post|write|add) a (?:comment|reply).*|comments?(?: \(?\d+\)?)?|\d+ (?:comments?|responses?|replies|thoughts).*|share(?: this.*)?|about the author.*|latest (?:news|stories|posts|articles).*|trending.*|popular.*|most (?:read|popular).*|sign up.*|subscribe.*|newsletter|follow us.*|tags|don['’]t miss.*|what to read next|(?:ähnliche|verwandte|weitere) (?:beiträge|artikel|themen).*|das könnte (?:sie|dich).*|mehr zum thema.*|(?:auch|mehr) interessant.*|(?:die )?neue?sten? (?:beiträge|artikel|kommentare).*|kommentare?(?: \(?\d+\)?)?|\d+ (?:kommentare?|antworten|gedanken).*|(?:schreibe?|hinterlasse?) .*kommentar.*|teilen.*|artículos relacionados|noticias relacionadas|te puede interesar.*|comentarios?|deja una respuesta.*|articles? (?:similaires|liés|associés)|à lire aussi.*|sur le même sujet.*|commentaires?|laisser un commentaire.*|leggi anche.*|articoli correlati|commenti|(?:leia|veja) (?:também|mais).*|(?:artigos|notícias|posts?) relacionad[oa]s?|comentários?|lees ook.*|gerelateerde? .*|reacties|(?:baca|berita|artikel) (?:juga|terkait|lainnya|terbaru|terpopuler).*|komentar|ilgili (?:haberler|yazılar|içerikler)|yorumlar?|читайте также.*|похожие .*|(?:ещё|еще) по теме.*|комментари[ия].*|(?:czytaj|zobacz) (?:też|także|również).*|komentarze.*|läs (?:också|även|mer).*|(?:مواضيع|مقالات|أخبار|اخبار) (?:ذات صلة|متعلقة|مشابهة).*|اقرأ أيض.*|التعليقات.*|संबंधित .*|यह भी पढ़ें.*|ये भी पढ़ें.*|टिप्पणियाँ?|مطالب مرتبط.*|نظرات.*|(?:相关|相關|延伸|推荐|推薦|热门|熱門|精彩|更多)(?:阅读|閱讀|文章|新闻|新聞|推荐|推薦|内容|資訊|资讯|评论|跟贴|话题|视频|标签|帖子)?|(?:网友|最新|全部|热门|用户|发表|精选)?(?:评论|評論|跟贴|回复|留言)(?:区|区域)?(?:\s?[(（]?\d+[)）]?)?|猜你喜欢.*|大家都在看.*|关连記事|関連(?:記事|リンク|ニュース|動画|ワード|キーワード)?|おすすめ.*|人気(?:記事|ランキング).*|ランキング|コメント.*|この記事を.*|あわせて読みたい.*|관련\s?(?:기사|뉴스|글)|인기\s?(?:기사|뉴스)|댓글.*|많이\s?본.*)[:：.…]?$/iu;
