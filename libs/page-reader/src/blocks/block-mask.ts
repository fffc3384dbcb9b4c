import { MASKED_CHARS, WORDY_CHARS } from './thresholds.ts';

/**
 * Replaces volatile values with their kind, so that two versions of "Updated 3 hours ago" have the same mask. Masks are
 * used to learn which blocks are volatile; they never decide alone that nothing changed.
 * @returns undefined if the text has no such values
 */
export function maskOf(text: string): string | undefined {
  if (text.length > MASKED_CHARS) return undefined;
  const hasDigit = DIGIT.test(text);
  const mayHaveAge = text.length <= WORDY_CHARS && PART_OF_AGE.test(text);
  if (!hasDigit && !(mayHaveAge && WORDED_AGE.test(text))) return undefined;
  let masked = hasDigit ? maskNumbers(text) : text;
  if (mayHaveAge) masked = masked.replace(WORDED_AGES, '{age}');
  return masked === text ? undefined : masked;
}

/** Masks the values that contain digits: generated ids, numbers and dates. */
function maskNumbers(text: string): string {
  let masked = text;
  if (GENERATED_ID.test(text)) for (const [kind, pattern] of IDS) masked = masked.replace(pattern, kind);
  for (const { needs, patterns } of PATTERNS)
    if (needs.test(text)) for (const [kind, pattern] of patterns) masked = masked.replace(pattern, kind);
  masked = masked.replace(DAY_FIRST, dated).replace(MONTH_FIRST, dated);
  return masked.includes('{date}') ? masked.replace(MONTH_LEFT, dated).replace(WEEKDAY_FIRST, named) : masked;
}

const DIGIT = /\d/;

const any = (words: string): string => words.trim().split(/\s+/).join('|');

/** Units of time of each language. */
const EN = any('seconds? secs? minutes? mins? hours? hrs? days? weeks? wks? months? years? yrs? [smhdwy]');
const DE = any('Sekunden? Minuten? Stunden? Tag(?:en)? Wochen? Monat(?:en)? Jahr(?:en)?');
const FR = any('secondes? minutes? heures? jours? semaines? mois ans? années?');
const ES = any('segundos? minutos? horas? días? semanas? mes(?:es)? años?');
const PT = any('segundos? minutos? horas? dias? semanas? m[êe]s(?:es)? anos?');
const IT = any('second[oi] minut[oi] or[ae] giorn[oi] settiman[ae] mes[ei] ann[oi]');
const NL = any('seconden? minuten? minuut uur uren dag(?:en)? weken week maand(?:en)? ja(?:ar|ren)');
const PL = any('sekund[yę]? minut[yę]? godzin[yę]? dzień dni tydzień tygodnie tygodni miesiące? miesięcy rok lat[ao]?');
const RU = any('секунд[уы]? минут[уы]? час(?:а|ов)? день дня дней недел[юиь] месяц(?:а|ев)? года? лет');
const TR = any('saniye dakika saat gün hafta ay yıl');

/**
 * "3 hours ago" in fourteen languages. All alternatives start at a digit, so that texts without digits cost nothing.
 */
const AGES = new RegExp(
  `(?=\\d)(?:${[
    `\\d+\\+?\\s?(?:${EN})\\s+ago(?!\\p{L})`,
    `(?<=vor (?:etwa |rund |über )?)\\d+ (?:${DE})`,
    `(?<=il y a (?:environ )?)\\d+ (?:${FR})`,
    `(?<=hace (?:un[oa]s )?)\\d+ (?:${ES})`,
    `(?<=há (?:cerca de )?)\\d+ (?:${PT})`,
    `\\d+ (?:${PT}) atrás`,
    `\\d+ (?:${IT}) fa(?!\\p{L})`,
    `\\d+ (?:${NL}) geleden`,
    `\\d+ (?:${PL}) temu`,
    `\\d+ (?:${RU}) назад`,
    `\\d+ (?:${TR}) önce`,
    '\\d+\\s?(?:秒|分|時間|日|週間|[かヶカケ]月|年)前',
    '\\d+\\s?(?:秒|分钟|分鐘|小时|小時|天|日|周|週|个月|個月|年)[之以]?前',
    '\\d+\\s?(?:초|분|시간|일|주|개월|달|년)\\s?전',
  ].join('|')})`,
  'giu',
);

/** Ages without digits. */
const WORDED =
  'just now|moments? ago|(?:an?|one|few) (?:second|minute|hour|day|week|month|year)s? ago|yesterday|gerade eben|gestern|' +
  "vor (?:ein|wenig)e\\p{L}{1,2} \\p{L}+|à l[’']instant|hier à|il y a une? \\p{L}+|ayer|hace un[ao]? \\p{L}+|ontem|" +
  "há um[a]? \\p{L}+|ieri|un[’']?a? ?\\p{L}+ fa|gisteren|zojuist|przed chwilą|wczoraj|только что|вчера|昨日|たった今|昨天|刚刚|剛剛|어제|방금|dün|az önce";
/** Prefilter: the ASCII part of each of these ages. Most texts fail it. */
const PART_OF_AGE =
  /[^\x20-\x7e]|ago|now|yesterday|eben|gestern|vor |hier|il y a|ayer|hace|ontem|ieri|fa|gisteren|zojuist|wczoraj/i;
const WORDED_AGE = new RegExp(`(?<!\\p{L})(?:${WORDED})(?!\\p{L})`, 'iu');
const WORDED_AGES = new RegExp(WORDED_AGE.source, 'giu');

const MONTHS = new Set(
  `jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december
  januar februar märz mai juni juli oktober dezember janv janvier févr février mars avril juin juil juillet août septembre octobre
  novembre déc décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro
  março maio junho julho setembro outubro novembro dezembro gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
  januari februari maart mei augustus stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada
  grudnia января февраля марта апреля мая июня июля августа сентября октября ноября декабря ocak şubat mart nisan mayıs haziran
  temmuz ağustos eylül ekim kasım aralık`.split(/\s+/),
);
/** "5 March 2026", "5. März", "March 5, 2026", "March 2026": a number and the word after or before it. */
const DAY_FIRST = /\d{1,2}(?:st|nd|rd|th|\.|º)? (?:de |d['’])?(\p{L}{3,12})\.?(?:,? (?:de )?\d{4}(?!\d))?/giu;
const MONTH_FIRST =
  /(?=\d)(?<=(?<!\p{L})(\p{L}{3,12})\.? )(?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:\d{4}|\d{1,2}(?:st|nd|rd|th)?)(?!\d)/giu;
/** A weekday with a date is mostly today's date, shown beside the site's name. */
const WEEKDAYS = new Set(
  `mon monday tue tuesday wed wednesday thu thursday fri friday sat saturday sun sunday montag dienstag mittwoch donnerstag freitag
  samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
  segunda-feira terça-feira quarta-feira quinta-feira sexta-feira lunedì martedì mercoledì giovedì venerdì sabato domenica maandag
  dinsdag woensdag donderdag vrijdag zaterdag zondag poniedziałek wtorek środa czwartek piątek sobota niedziela понедельник вторник
  среда четверг пятница суббота воскресенье pazartesi salı çarşamba perşembe cuma cumartesi pazar`.split(/\s+/),
);
const WEEKDAY_FIRST = /(?<!\p{L})([\p{L}-]{3,13})\.?,? \{date\}/giu;
const named = (whole: string, day: string): string => (WEEKDAYS.has(day.toLowerCase()) ? '{weekday date}' : whole);
/** A month whose number is already masked. */
const MONTH_LEFT = /(?<!\p{L})(\p{L}{3,12})\.? \{date\}/giu;
const dated = (whole: string, month: string): string => (MONTHS.has(month.toLowerCase()) ? '{date}' : whole);
const COUNTED = any(`
  views? reads? hits? visits? visitors? downloads? likes? shares? comments? replies votes? followers? online people\\s(?:are\\s)?(?:reading|viewing|watching|looking|online)
  aufrufe besucher abrufe kommentare vues? lectures? visites? commentaires? vistas? visitas? lecturas? comentarios? visualizações
  comentários visualizzazioni letture commenti weergaven bezoekers reacties wyświetleń odsłon komentarzy просмотр(?:а|ов)? комментари\\p{L}+
  görüntülenme 次浏览 次观看 人浏览 回視聴 件のコメント 회 조회`);
const FIGURE = '\\d+(?:[ .,\\u00a0\\u202f]\\d{1,3})*(?:\\s?[kKmM](?!\\p{L}))?';

type Kinds = readonly (readonly [kind: string, pattern: RegExp])[];

/** Order matters: a shorter pattern would break a longer one. `needs` is a cheap prefilter. */
const PATTERNS: readonly { readonly needs: RegExp; readonly patterns: Kinds }[] = [
  { needs: /[^\x20-\x7e]|ago|vor |il y a |hace |fa|geleden|temu/i, patterns: [['{age}', AGES]] },
  {
    needs: /\d(?:[./:-]\d|\s?[ap]\.?m)/i,
    patterns: [
      // A time with seconds is machine-written.
      ['{timestamp}', /(?<!\w)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?!\w)/g],
      ['{date}', /(?<!\w)\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?(?!\w)/g],
      ['{date}', /(?<!\w)(?:\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}[./]\d{1,2}[./]\d{1,2})(?!\w)/g],
      ['{time}', /(?<!\w)\d{1,2}(?::\d{2}){1,2}(?:\s?[ap]\.?m\b\.?)?|(?<!\w)\d{1,2}\s?[ap]\.?m\b\.?/gi],
    ],
  },
  { needs: /[年년]/, patterns: [['{date}', /\d{4}\s?[年년]\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?/g]] },
  { needs: DIGIT, patterns: [['{count}', new RegExp(`${FIGURE}\\+?\\s?(?:${COUNTED})(?!\\p{L})`, 'giu')]] },
  {
    needs: /[:(]\s?\d/,
    patterns: [['{count}', new RegExp(`(?=\\d)(?<=(?<!\\p{L})(?:${COUNTED})\\s?[:(]\\s?)${FIGURE}`, 'giu')]],
  },
];

/** A letter beside a digit, as in generated ids. Most texts have none. */
const GENERATED_ID = /[a-z]\d|\d[a-z]/i;
const IDS: Kinds = [
  ['{uuid}', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['{hex}', /\b(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{8,64}\b/gi],
  ['{base64}', /(?<![\w+/])(?=[^\s\d]{0,63}\d)(?=[^\sA-Z]{0,63}[A-Z])(?=[^\sa-z]{0,63}[a-z])[\w+/-]{16,400}={0,2}/g],
];
