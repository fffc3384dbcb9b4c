/**
 * Good pages of 20 to 300 words under titles that consist of the words of error pages, log-ins and captchas. No page has
 * a sentence that states a refusal, a password field, a wall's marker or a status other than 200: each is a real page.
 */

/** Returns the next number of a seeded sequence, 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const NUMBERS = ['400', '401', '403', '404', '408', '410', '429', '451', '500', '502', '503', '504', '520', '1020'];

const ALARMING = [
  'gone',
  'not found',
  'page not found',
  'access',
  'denied',
  'access denied',
  'login',
  'log in',
  'sign in',
  'sign in to continue',
  'maintenance',
  'under maintenance',
  'just a moment',
  'one moment please',
  'forbidden',
  'blocked',
  'you have been blocked',
  'robot',
  'are you a robot',
  'verify you are human',
  'security check',
  'captcha',
  'error',
  'server error',
  'internal server error',
  'service unavailable',
  'bad gateway',
  'oops',
  'sorry',
  'too many requests',
  'rate limit',
  'suspended',
  'account suspended',
  'domain for sale',
  'unauthorized',
  'members only',
  'not available in your country',
  'something went wrong',
  'site offline',
  'attention required',
  'checking your browser',
  'loading',
  'please wait',
  'javascript required',
  'seite nicht gefunden',
  'zugriff verweigert',
  'anmelden',
  'wartungsarbeiten',
  'gesperrt',
  'page introuvable',
  'accès refusé',
  'connexion',
  'en maintenance',
  'página no encontrada',
  'acceso denegado',
  'iniciar sesión',
  'en mantenimiento',
  'página não encontrada',
  'entrar',
  'pagina non trovata',
  'accedi',
  'niet gevonden',
  'inloggen',
  'nie znaleziono',
  'zaloguj',
  'страница не найдена',
  'доступ запрещён',
  'вход',
  '页面不存在',
  '登录',
  '验证',
  '访问被拒绝',
  'ページが見つかりません',
  'ログイン',
  'メンテナンス中',
  '찾을 수 없습니다',
  '로그인',
  'sayfa bulunamadı',
  'giriş',
];

const NEUTRAL = [
  'Item',
  'the depot',
  'Harbour',
  'Room',
  'Model',
  'rope',
  'lantern',
  'Order',
  'Highway',
  'chapter',
  'Lager',
  'le port',
  'La tienda',
  'склад',
  '倉庫',
  'Many',
];
const SITES = ['Depot', 'Harbour Supplies', 'Kaufhaus', 'L’entrepôt', 'Склад', '倉庫'];
const APART = [' - ', ' | ', ': ', ' – ', ' · ', ', ', ' /'];

interface Language {
  readonly lang: string;
  /** Sentences of about ten words. */
  readonly sentences: readonly string[];
  readonly names: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  {
    lang: 'en',
    sentences: [
      'The depot keeps ropes, lanterns and anchors for boats of every size.',
      'A ferry crosses the bay twice a day and carries up to forty people.',
      'Each lantern is made of brass and burns for nine hours on one filling.',
      'In winter the harbour freezes, and the boats stay on land until March.',
      'The rope is twelve millimetres thick and holds eight hundred kilograms.',
      'Opening hours are from nine to five, on Saturdays from ten to two.',
      'Our workshop repairs sails within a week and stores them until spring.',
      'The keeper of the lighthouse wrote every ship and its cargo into a book.',
      'Number 401 weighs three kilograms, number 404 weighs five and a half.',
      'Members meet on the first Tuesday of each month in the old boathouse.',
      'The price includes delivery to all islands and a guarantee of two years.',
    ],
    names: ['Brass lantern', 'Hemp rope', 'Folding anchor', 'Signal flag', 'Deck chair', 'Oil lamp', 'Tide table'],
  },
  {
    lang: 'de',
    sentences: [
      'Das Lager führt Seile, Laternen und Anker für Boote jeder Größe.',
      'Im Winter friert der Hafen zu, und die Boote bleiben bis März an Land.',
      'Die Werkstatt näht Segel innerhalb einer Woche und prüft jede Naht.',
      'Geöffnet ist täglich von neun bis siebzehn Uhr, samstags nur bis zwölf.',
      'Nummer 404 wiegt fünf Kilogramm und kostet mit Versand 49 Euro.',
    ],
    names: ['Messinglaterne', 'Hanfseil', 'Klappanker', 'Signalflagge', 'Liegestuhl', 'Öllampe'],
  },
  {
    lang: 'fr',
    sentences: [
      'L’entrepôt vend des cordes, des lanternes et des ancres pour tous les bateaux.',
      'En hiver le port gèle et les bateaux restent à terre jusqu’en mars.',
      'L’atelier répare les voiles en une semaine et les garde jusqu’au printemps.',
      'Le prix comprend la livraison sur toutes les îles et deux ans de garantie.',
    ],
    names: ['Lanterne en laiton', 'Corde de chanvre', 'Ancre pliante', 'Pavillon', 'Chaise longue', 'Lampe à huile'],
  },
  {
    lang: 'es',
    sentences: [
      'El almacén vende cuerdas, faroles y anclas para barcos de todos los tamaños.',
      'En invierno el puerto se hiela y los barcos quedan en tierra hasta marzo.',
      'El taller repara las velas en una semana y las guarda hasta la primavera.',
      'El precio incluye el envío a todas las islas y dos años de garantía.',
    ],
    names: ['Farol de latón', 'Cuerda de cáñamo', 'Ancla plegable', 'Bandera', 'Tumbona', 'Lámpara de aceite'],
  },
  {
    lang: 'ru',
    sentences: [
      'На складе есть верёвки, фонари и якоря для лодок любого размера.',
      'Зимой гавань замерзает, и лодки стоят на берегу до самого марта.',
      'Мастерская чинит паруса за неделю и хранит их до весны.',
      'Паром ходит через залив два раза в день и берёт сорок человек.',
    ],
    names: ['Латунный фонарь', 'Пеньковый канат', 'Складной якорь', 'Сигнальный флаг', 'Шезлонг', 'Масляная лампа'],
  },
  {
    lang: 'ja',
    sentences: [
      '倉庫には船のためのロープやランタンや錨がそろっています。',
      '冬になると港は凍り、船は三月まで陸に置かれます。',
      '工房は一週間で帆を直し、春まで大切に保管します。',
      'フェリーは一日に二回湾を渡り、四十人を運びます。',
    ],
    names: ['真鍮のランタン', '麻のロープ', '折りたたみ錨', '信号旗', 'デッキチェア', '石油ランプ'],
  },
];

const KINDS = ['paragraphs', 'list', 'links', 'cards', 'table', 'contact form', 'order form', 'article'] as const;
export type PageKind = (typeof KINDS)[number];

export interface GeneratedPage {
  readonly title: string;
  readonly kind: PageKind;
  readonly html: string;
  /** Number of words of the content, without title and headings. */
  readonly words: number;
}

const wordsOf = (text: string): number => {
  const ideographs = text.match(/[\u3040-\u30ff\u4e00-\u9fff]/g)?.length ?? 0;
  const spaced = text.replace(/[\u3040-\u30ff\u4e00-\u9fff]/g, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return spaced + ideographs / 2;
};

/** Generates page number `seed`. The same number always gives the same page. */
export function generatePage(seed: number): GeneratedPage {
  const next = seeded(seed * 7_919 + 17);
  const pick = <T>(from: readonly [T, ...T[]] | readonly T[]): T => {
    const found = from[Math.floor(next() * from.length)];
    if (found === undefined) throw new RangeError('nothing to choose from');
    return found;
  };
  const chance = (share: number): boolean => next() < share;
  const cased = (text: string): string => {
    const style = next();
    if (style < 0.2) return text.toUpperCase();
    return style < 0.75 ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  };
  const title = titleOf(pick, chance, cased);
  const language = pick(LANGUAGES);
  const kind = pick(KINDS);
  const target = 20 + Math.floor(next() ** 2 * 280);
  const { html, words } = contentOf({ kind, target, language, pick, chance });
  const heading = next();
  const headline =
    heading < 0.6 ? title : heading < 0.75 ? titleOf(pick, chance, cased) : heading < 0.9 ? pick(NEUTRAL) : '';
  return { title, kind, words, html: documentOf({ title, headline, content: html, language, pick, chance }) };
}

type Pick = <T>(from: readonly T[]) => T;
type Chance = (share: number) => boolean;

function titleOf(pick: Pick, chance: Chance, cased: (text: string) => string): string {
  const word = (): string => (chance(0.3) ? pick(NUMBERS) : pick(ALARMING));
  const parts = pick([
    () => word(),
    () => `${pick(NEUTRAL)} ${pick(NUMBERS)} of ${pick(NEUTRAL)}`,
    () => `${pick(NEUTRAL)} ${word()}`,
    () => `${pick(NUMBERS)} ${pick(ALARMING)}`,
    () => `${pick(ALARMING)} ${pick(NUMBERS)}`,
    () => `error ${pick(NUMBERS)}`,
    () => `${word()}${pick(APART)}${pick(NEUTRAL)} ${pick(NEUTRAL)}`,
    () => `${pick(NEUTRAL)}${pick(APART)}${word()}`,
    () => `${word()} ${word()}`,
    () => `${word()} ${word()} ${pick(NEUTRAL)} ${word()}`,
  ])();
  return chance(0.4) ? `${cased(parts)}${pick([' - ', ' | ', ' – '])}${pick(SITES)}` : cased(parts);
}

interface ContentRequest {
  readonly kind: PageKind;
  readonly target: number;
  readonly language: Language;
  readonly pick: Pick;
  readonly chance: Chance;
}

/** Repeats `part` until the content has the requested number of words. */
function filled(target: number, part: () => string): { html: string; words: number } {
  let html = '';
  let words = 0;
  while (words < target) {
    const next = part();
    html += next;
    words += wordsOf(next.replace(/<[^>]*>/g, ' '));
  }
  return { html, words: Math.round(words) };
}

function contentOf({ kind, target, language, pick, chance }: ContentRequest): { html: string; words: number } {
  const sentence = (): string => pick(language.sentences);
  const name = (): string => pick(language.names);
  const price = (): string => pick(['€ 12.50', '$49.00', '€680', '1 200 ₽', '¥4,030']);
  const paragraph = (): string => `<p>${sentence()}${chance(0.5) ? ` ${sentence()}` : ''}</p>`;
  switch (kind) {
    case 'paragraphs':
      return filled(target, paragraph);
    case 'list': {
      const { html, words } = filled(target, () => `<li>${sentence()}</li>`);
      return { html: `<ul>${html}</ul>`, words };
    }
    case 'links': {
      const { html, words } = filled(target, () => `<li><a href="/depot/${pick(NUMBERS)}">${sentence()}</a></li>`);
      return { html: `<ul>${html}</ul>`, words };
    }
    case 'cards': {
      const card = (): string =>
        `<div class="card"><a href="/p/${pick(NUMBERS)}"><h3>${name()}</h3></a><p>${sentence()}</p><span class="price">${price()}</span><button>+</button></div>`;
      const { html, words } = filled(target, card);
      return { html: `<div class="grid">${html}</div>`, words };
    }
    case 'table': {
      const row = (): string => `<tr><td>${name()}</td><td>${sentence()}</td><td>${price()}</td></tr>`;
      const { html, words } = filled(target, row);
      return { html: `<table>${html}</table>`, words };
    }
    case 'contact form': {
      const { html, words } = filled(target, paragraph);
      const fields =
        '<label>Name <input name="name"></label><label>E-mail <input type="email" name="email"></label><label>Text <textarea name="text"></textarea></label>';
      const captcha = chance(0.3) ? '<div class="g-recaptcha" data-sitekey="k"></div>' : '';
      return {
        html: `${html}<form method="post" action="/contact">${fields}${captcha}<button>OK</button></form>`,
        words,
      };
    }
    case 'order form': {
      const { html, words } = filled(target, paragraph);
      return {
        html: `${html}<form action="/basket"><input name="quantity" value="1"><button>${name()}</button></form>`,
        words,
      };
    }
    case 'article': {
      const { html, words } = filled(target, () => `${paragraph()}${chance(0.3) ? `<h2>${name()}</h2>` : ''}`);
      return { html: `<article>${html}</article>`, words };
    }
  }
}

interface DocumentRequest {
  readonly title: string;
  readonly headline: string;
  readonly content: string;
  readonly language: Language;
  readonly pick: Pick;
  readonly chance: Chance;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function documentOf({ title, headline, content, language, pick, chance }: DocumentRequest): string {
  const level = pick(['h1', 'h1', 'h1', 'h2']);
  const main = `${headline === '' ? '' : `<${level}>${escaped(headline)}</${level}>`}${content}`;
  const wrapped = pick([`<main>${main}</main>`, `<div id="content">${main}</div>`, main]);
  const menu = language.names.map((name, at) => `<li><a href="/${at}">${name}</a></li>`).join('');
  const nav = chance(0.6) ? `<header><nav><ul>${menu}<li><a href="/login">Log in</a></li></ul></nav></header>` : '';
  const footer = chance(0.6) ? `<footer><p>© 2026 ${pick(SITES)}</p><a href="/imprint">Imprint</a></footer>` : '';
  const newsletter = chance(0.2)
    ? '<form action="/newsletter"><input type="email" name="email" placeholder="E-mail"><button>Subscribe</button></form>'
    : '';
  const script = chance(0.4) ? '<script src="/assets/site.js"></script><script>window.site={};</script>' : '';
  const meta = chance(0.3) ? `<meta name="description" content="${pick(language.sentences)}">` : '';
  const head = `<head><meta charset="utf-8"><title>${escaped(title)}</title>${meta}</head>`;
  return `<!doctype html><html lang="${language.lang}">${head}<body>${nav}${wrapped}${newsletter}${footer}${script}</body></html>`;
}
