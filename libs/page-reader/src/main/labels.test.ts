import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES =
  'The ferry left the northern quay at seven, and its crew counted forty passengers. The square was empty by noon.';
const ARTICLE =
  '<script type="application/ld+json">{"@type":"NewsArticle","headline":"Ferry","datePublished":"2024-05-02"}</script>';

const read = (body: string) =>
  readPage({
    html: `<html><head><title>Boats</title>${ARTICLE}</head><body><article><h1>Ferry</h1><p>${SENTENCES}</p>${body}<p>${SENTENCES}</p></article></body></html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text', 'markdown', 'cleanHtml']),
  });

describe('a button', () => {
  const answer = `<div><p>${SENTENCES}</p></div>`;

  it.each([
    ['before the answer that it opens', `<div><button>How does the ferry float?</button>${answer}</div>`],
    [
      'in a box of its own before the answer',
      `<div><div><button>How does the ferry float?</button></div>${answer}</div>`,
    ],
    ['in a heading', '<h3><button>How does the ferry float?</button></h3>'],
  ])('is written as text %s', (_, body) => {
    const { text, markdown, cleanHtml } = read(body);
    expect(text).toContain('How does the ferry float?');
    expect(markdown).toContain('How does the ferry float?');
    expect(cleanHtml).toContain('How does the ferry float?');
    expect(cleanHtml).not.toContain('<button');
  });

  it.each([
    ['a command of two words', `<div><button>Show answer</button>${answer}</div>`],
    [
      'followed by another button',
      '<div><button>Save this story about the ferry for later.</button><button>Send this story about the ferry, or its link.</button></div>',
    ],
    ['at the end of its box', `<div>${answer}<button>Send this story about the ferry</button></div>`],
  ])('is left out if it is %s', (_, body) => {
    expect(read(body).text).not.toMatch(/Show answer|this story/);
  });
});

describe('a heading with an id made from its text', () => {
  it.each([
    ['h2', '<h2 id="what-is-social-media">What is social media?</h2>'],
    [
      'h3',
      '<h3 id="h-why-use-social-shopping-today" class="wp-block-heading">Why use social shopping today, and where?</h3>',
    ],
    ['h4', '<h4><span id="Related_to_ports">Related to ports</span></h4>'],
  ])('is kept although the id names an aside (%s)', (_, heading) => {
    expect(read(`${heading}<p>${SENTENCES}</p>`).text).toMatch(/What is social media|Why use social|Related to ports/);
  });

  it('is left out if the id is a name', () => {
    expect(read('<h3 id="social">Where to find the crew</h3>').text).not.toContain('Where to find');
  });
});

describe('a line that begins with "by"', () => {
  it('is a byline before a name', () => {
    expect(read('<p>By Ruth Miller</p>').text).not.toContain('Ruth');
  });

  it('is text before another word', () => {
    expect(read('<p>By the end of this page, the ferry has left the quay.</p>').text).toContain('By the end');
  });
});
