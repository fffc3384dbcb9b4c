import { judge } from '../../services/scrape/src/domain/verdict.ts';
import { type Case, listIn, numberIn, readCases, textIn } from './content-corpora.ts';
import { line, read, show, worst } from './content-reading.ts';

const LABELS: Readonly<Record<string, string>> = {
  CAPTCHA: 'captcha',
  BLOCKED: 'blocked',
  LOGIN_REQUIRED: 'login',
  NOT_FOUND: 'notfound',
  SHELL: 'shell',
  NETWORK: 'error',
  RATE_LIMITED: 'ratelimited',
  GEO_RESTRICTED: 'blocked',
};

/** Page sets that hold real pages only: any refusal there is a mistake, or a page captured empty. */
const REAL = [
  'pages/article-benchmark',
  'pages/wcxb',
  'pages/trafilatura-segments',
  'pages/magic-html-multilingual',
  'pages/readability',
];

function judged(folder: string, entry: Case, httpStatus: number): { found: string; reason: string } {
  const { reading } = read(folder, entry);
  const url = textIn(entry, 'url') || 'https://example.com/page';
  const { evidence } = reading;
  const judgement = judge({
    httpStatus,
    headers: {},
    evidence,
    askedUrl: url,
    landedUrl: url,
    rendered: false,
    minWords: 0,
  });
  return {
    found: LABELS[judgement.errorCode] ?? (judgement.verdict === 'thin' ? 'thin' : 'ok'),
    reason: judgement.reason,
  };
}

const isPassed = (label: string): boolean => label === 'ok' || label === 'thin';

export function verdicts(): void {
  const matrix = new Map<string, Map<string, number>>();
  const entries = readCases('verdicts/index.json');
  let [accepted, refused, real, passed, bad] = [0, 0, 0, 0, 0];
  for (const entry of entries) {
    const { found, reason } = judged('verdicts', entry, numberIn(entry, 'httpStatus'));
    const label = textIn(entry, 'label');
    const row = matrix.get(label) ?? new Map<string, number>();
    matrix.set(label, row.set(found, (row.get(found) ?? 0) + 1));
    const right = listIn(entry, 'accept').includes(found);
    accepted += Number(right);
    real += Number(isPassed(label));
    bad += Number(!isPassed(label));
    refused += Number(isPassed(label) && !isPassed(found));
    passed += Number(!isPassed(label) && isPassed(found));
    if (!right) worst.push(`verdict ${textIn(entry, 'id')} is ${label}, judged ${found} (${reason})`);
  }
  line(
    'verdicts',
    `accepted ${show(accepted / entries.length)}  real refused ${refused} of ${real}  bad passed ${show(passed / (bad || 1))}`,
  );
  for (const [label, row] of matrix)
    line(`  ${label}`, [...row].map(([found, count]) => `${found} ${count}`).join('  '));
}

/** Every page of the extraction sets is real: how many would be refused. */
export function realPages(): void {
  const pages = REAL.flatMap((folder) => readCases(`${folder}/index.json`).map((entry) => ({ folder, entry })));
  const refused = pages.filter(({ folder, entry }) => {
    const { found, reason } = judged(folder, entry, 200);
    if (!isPassed(found))
      worst.push(`real page ${textIn(entry, 'id')} judged ${found} (${reason}) ${textIn(entry, 'url')}`);
    return !isPassed(found);
  });
  line('real pages elsewhere', `refused ${refused.length} of ${pages.length}`);
}
