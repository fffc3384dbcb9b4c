import { USUAL_CONTENT } from '../../src/options/usual-content.ts';
import { readPage } from '../../src/page/read-page.ts';
import type { Classification, ClassifyInput } from '../../src/verdict/classification.ts';
import { classify } from '../../src/verdict/classify.ts';

const URL_OF_PAGE = 'https://site.example/depot/page';

/** Reads and classifies a page that a site sends with status 200 and without headers. */
export function verdictOfPage(html: string, more: Partial<ClassifyInput> = {}): Classification {
  const { evidence } = readPage({ html, url: URL_OF_PAGE, content: USUAL_CONTENT, outputs: new Set() });
  return classify({
    httpStatus: 200,
    headers: {},
    requestedUrl: URL_OF_PAGE,
    landedUrl: URL_OF_PAGE,
    rendered: false,
    minWords: 0,
    evidence,
    ...more,
  });
}
