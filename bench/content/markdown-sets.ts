import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { listIn, readCases, textIn } from '../shared/corpora.ts';
import { bagScore, mean, proseOf, structureOf, tokensOf } from './scores.ts';
import { ALL, line, note, read, show } from './timed-reading.ts';

export function markdownCases(): void {
  const failed: string[] = [];
  const entries = readCases('markdown/cases.json');
  for (const entry of entries) {
    const prose =
      'This is a paragraph of plain prose that stands around the case, long enough to be read as the content of the page.';
    const html = `<html><body><main><article><p>${prose}</p>${textIn(entry, 'html')}<p>${prose}</p></article></main></body></html>`;
    const url = `https://example.com${textIn(entry, 'base') || '/docs/page.html'}`;
    const markdown = readPage({ html, url, content: USUAL_CONTENT, outputs: ALL }).markdown ?? '';
    const right =
      listIn(entry, 'expected_contains').every((part) => markdown.includes(part)) &&
      listIn(entry, 'expected_match').every((pattern) => new RegExp(pattern, 'm').test(markdown)) &&
      !listIn(entry, 'expected_not').some((part) => markdown.includes(part));
    if (!right) failed.push(textIn(entry, 'name'));
  }
  line('markdown cases', `${entries.length - failed.length} of ${entries.length}  failed: ${failed.join(' ')}`);
}

export function defuddle(): void {
  const folder = 'pages/defuddle-markdown';
  const texts: number[] = [];
  const structures: number[] = [];
  for (const entry of readCases(`${folder}/index.json`)) {
    const markdown = read(folder, entry).reading.markdown ?? '';
    const text = bagScore(
      tokensOf(proseOf(markdown).toLowerCase()),
      tokensOf(proseOf(textIn(entry, 'markdown')).toLowerCase()),
    ).f1;
    const structure = bagScore(structureOf(markdown), structureOf(textIn(entry, 'markdown'))).f1;
    texts.push(text);
    structures.push(structure);
    note('defuddle', entry, text, `structure ${show(structure)}`);
  }
  line('defuddle markdown', `text ${show(mean(texts))}  structure ${show(mean(structures))}`);
}
