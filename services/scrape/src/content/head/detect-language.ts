import { franc } from 'franc-min';
import { countWords } from '../tree/count-words.ts';

/** The languages looked for, by their ISO 639-3 and ISO 639-1 codes. Each rare one more makes short texts of the others less sure. */
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

/** Fewer words than this could be any language. */
const WORDS_NEEDED = 20;
/** Enough to tell by; the cost is the length's. */
const CHARS_READ = 1_000;
/** The language a text is written in, as its ISO 639-1 code; undefined where there is too little to tell by. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, CHARS_READ);
  if (countWords(sample) < WORDS_NEEDED) return undefined;
  return CODES.get(franc(sample, { only: ONLY }));
}
