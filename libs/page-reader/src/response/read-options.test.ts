import { describe, expect, it } from '@jest/globals';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readBody } from './read-body.ts';
import type { ReadTask } from './read-task.ts';

const prose = '<p>The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.</p>';
const task = (options: Partial<ReadTask>, lang = 'en'): ReadTask => ({
  body: Buffer.from(
    `<html lang="${lang}"><title>Boats</title><article><h1>Boats</h1>${prose.repeat(8)}</article></html>`,
  ),
  contentType: 'text/html; charset=utf-8',
  status: 200,
  headers: {},
  requestedUrl: 'https://site.example/',
  landedUrl: 'https://site.example/',
  rendered: false,
  minWords: 0,
  languages: [],
  content: USUAL_CONTENT,
  parseDocuments: true,
  output: 'bodies',
  formats: ['markdown'],
  ...options,
});

describe('readBody with options', () => {
  it('skips a page in another language, declared or detected', async () => {
    for (const lang of ['en', '']) {
      const { classification } = await readBody(task({ languages: ['de', 'fr'] }, lang));
      expect(classification).toMatchObject({ verdict: 'skipped', errorCode: 'OK', climb: false });
      expect(classification.reason).toBe('the page is in en, which is none of de, fr');
    }
    expect((await readBody(task({ languages: ['en'] }, 'en-GB'))).classification.verdict).toBe('ok');
  });

  it('classifies a refusal as one, whatever its language', async () => {
    const { classification } = await readBody(task({ languages: ['de'], status: 404 }));
    expect(classification).toMatchObject({ verdict: 'blocked', errorCode: 'NOT_FOUND' });
  });

  it('returns fields, removed parts, and notes as warnings', async () => {
    const content = {
      ...USUAL_CONTENT,
      explain: true,
      includeSelectors: ['.absent'],
      excludeSelectors: ['h1'],
      fields: { name: { selector: 'h1', type: 'string', many: false } },
    };
    const { classification, bodies, removed } = await readBody(task({ content }));
    expect(classification.warnings).toEqual(['include_selectors matched nothing: the usual content was read']);
    expect(PageBodies.decode(bodies).fieldsJson).toBe('{"name":"Boats"}');
    expect(removed.map(({ reason }) => reason)).toEqual(['exclude_selectors']);
  });
});
