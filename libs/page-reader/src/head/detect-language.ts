import { franc } from 'franc-min';
import { countWords } from '../tree/count-words.ts';
import { CHARS_READ, WORDS_NEEDED } from './thresholds.ts';

/**
 * Candidate languages by ISO 639-3 and ISO 639-1 code. Adding rare languages lowers the accuracy for short texts of the
 * others.
 */
const CODES = new Map(
  (
    'amh am,arb ar,azj az,bel be,ben bn,bul bg,ces cs,cmn zh,deu de,ell el,eng en,fra fr,guj gu,heb he,hin hi,hrv hr,hun hu,' +
    'ind id,ita it,jpn ja,kan kn,kaz kk,kor ko,mal ml,mar mr,mya my,nld nl,npi ne,pan pa,pes fa,pol pl,por pt,ron ro,rus ru,' +
    'sin si,spa es,srp sr,swe sv,swh sw,tam ta,tel te,tgl tl,tha th,tur tr,ukr uk,urd ur,uzn uz,vie vi'
  )
    .split(',')
    .map((pair): [string, string] => [pair.slice(0, 3), pair.slice(4)]),
);
const ONLY = [...CODES.keys()];

/** Returns the language of a text as ISO 639-1 code; undefined if the text is too short. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, CHARS_READ);
  if (countWords(sample) < WORDS_NEEDED) return undefined;
  return CODES.get(franc(sample, { only: ONLY }));
}
