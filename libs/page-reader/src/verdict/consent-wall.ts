import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { ownWords, type Statement } from './statements.ts';
import { CONSENT_WALL_OTHER_WORDS, MAX_WORDS } from './thresholds.ts';

const CONSENT_REQUEST =
  /(?:we|our|(?:this|our) (?:web)?site|partners?)\b.{0,80}(?:use|store|process|access)s?\b.{0,80}\b(?:cookies|personal data|information on (?:a|your) device)|we value your privacy|(?:accept|allow|manage|reject) (?:all )?cookies|cookie (?:preferences|settings|consent)|wir\b.{0,80}(?:verwenden|nutzen|speichern|verarbeiten).{0,60}cookies|weiter mit werbung|(?:nous|notre site).{0,80}(?:utilis|déposent|stock).{0,60}(?:cookies|traceurs)|(?:utilizamos|usamos|utilitzem).{0,60}cookies|(?:utilizziamo|usiamo).{0,60}cookie|(?:wij|we) (?:gebruiken|plaatsen).{0,60}cookies|(?:vi|vår webbplats|vores hjemmeside) (?:använder|bruger|bruker).{0,60}(?:cookies|kakor|informasjonskapsler)|käytämme.{0,60}evästeitä|(?:używamy|korzystamy).{0,60}(?:cookies|ciasteczek)|používáme.{0,60}cookies|(?:мы )?используем.{0,60}(?:cookie|куки)|çerez.{0,40}kullan|(?:クッキー|Cookie)を使用|使用.{0,20}cookie|쿠키를 사용/iu;
const AGE_REQUEST =
  /(?:are you|you (?:must|have to|need to) be|i am|confirm (?:that )?you(?:['’]re| are)) (?:at least |over |above |of )?(?:(?:16|18|19|20|21)\b|(?:the )?(?:legal|drinking|minimum|required)(?: \w+)? age)|(?:verify|confirm|enter) your (?:age|date of birth)|age (?:verification|check|gate)|legal drinking age|(?:sind sie|bist du).{0,20}(?:16|18)|(?:avez-vous|êtes-vous).{0,20}(?:18|majeur)|(?:eres|es usted|tienes).{0,20}(?:18|mayor de edad)|(?:você|tem).{0,20}(?:18 anos|maior de)|(?:hai|sei).{0,20}(?:18 anni|maggiorenne)|(?:ben je|bent u).{0,20}18|вам (?:уже )?(?:есть|исполнилось).{0,6}18|(?:年齢確認|あなたは18歳|满18|滿18|年满|만 19세)/iu;
/** Labels of the buttons of such pages. */
const AGREES =
  /\b(?:accept|agree|allow|consent|continue|got it|i understand|yes|enter|i am|i['’]m)\b|akzeptieren|zustimmen|einverstanden|\bja\b|accepter|j['’]accepte|\boui\b|aceptar|acepto|\bsí\b|aceitar|concordo|\bsim\b|accetta|acconsento|akkoord|accepteren|godkänn|acceptera|accepter|godta|hyväksy|akceptuj|zgadzam|přijmout|souhlasím|elfogad|принять|соглас|\bда\b|kabul|同意|接受|同意する|はい|동의|예\b/iu;

/** Finds a page that shows nothing but a question: for consent to cookies, or for the visitor's age. */
export function consentWallIn({ evidence, httpStatus }: ClassifyInput): Finding | undefined {
  if (httpStatus >= 400 || evidence.bodyWords === 0 || evidence.bodyWords >= MAX_WORDS) return undefined;
  const wall = (reason: string, signal: string): Finding => ({
    errorCode: 'BLOCKED',
    reason,
    signals: [signal],
    climb: evidence.scripts > 0,
  });
  if (requestsOnly(evidence, CONSENT_REQUEST)) return wall('the page only requests consent to cookies', 'consent wall');
  return requestsOnly(evidence, AGE_REQUEST)
    ? wall('the page only requests the age of the visitor', 'age gate')
    : undefined;
}

/** True if a page requests something, has a button that agrees, and has no text of its own. Consent notices are no text. */
function requestsOnly(evidence: PageEvidence, sentence: RegExp): boolean {
  const statement: Statement = { sentence, advice: CONSENT_CONTEXT };
  if (!sentence.test(evidence.opening) || ownWords(evidence, statement) >= CONSENT_WALL_OTHER_WORDS) return false;
  const links = (evidence.sentences ?? []).filter(({ kind }) => kind !== 'text').map(({ text }) => text);
  return AGREES.test(`${evidence.formText} ${links.join(' ')}`);
}

/** Sentences that accompany such a request. */
const CONSENT_CONTEXT = new RegExp(
  `${ADVICE.source}|cookie|consent|privacy|personali[sz]|advertis|tracking|partners?\\b|datenschutz|werbung|einwillig|publicité|données|consent|publicidad|datos|pubblicità|reklam|реклам|конфиденциальн`,
  'iu',
);
