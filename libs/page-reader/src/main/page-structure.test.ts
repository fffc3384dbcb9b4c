import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const SENTENCES =
  'The ferry left the northern quay at seven, and its crew counted forty passengers. No one had an umbrella, yet by noon the square was empty.';
const paragraphs = (count: number): string => `<p>${SENTENCES}</p>`.repeat(count);
const ARTICLE_DATA =
  '<script type="application/ld+json">{"@type":"NewsArticle","headline":"Ferry","datePublished":"2024-05-02"}</script>';

const textOf = (body: string, head = ''): string =>
  readPage({
    html: `<html><head><title>Ferry</title>${head}</head>${body}</html>`,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text']),
  }).text ?? '';

describe('the end of an article', () => {
  const teaser =
    '<div class="item"><h4><a href="/1">Story about hens</a></h4><p>TEASER A farmer counted his hens, lost three, and found five behind the barn.</p><span>2H ago</span></div>';

  it('is before a list of teasers with summaries, whatever the list is called', () => {
    const text = textOf(
      `<div class="row"><article><h1>Ferry</h1><div class="txt">${paragraphs(5)}</div></article><section class="component"><h3>World</h3>${teaser.repeat(14)}</section></div>`,
      ARTICLE_DATA,
    );
    expect(text).toContain('northern quay');
    expect(text).not.toContain('TEASER');
  });

  it('is before teasers in the box of the text itself', () => {
    const text = textOf(
      `<article><h1>Ferry</h1><div class="txt">${paragraphs(6)}<h3>World</h3>${teaser.repeat(3)}</div></article>`,
      ARTICLE_DATA,
    );
    expect(text).not.toContain('TEASER');
    expect(text).not.toContain('World');
  });

  it('is after the entries of an article that lists things with links', () => {
    const entry = `<div class="entry"><h3><a href="/1">A shop</a></h3><p>ENTRY ${SENTENCES}</p></div>`;
    const text = textOf(
      `<article><h1>Ferry</h1><p>${SENTENCES}</p>${entry.repeat(10)}${paragraphs(3)}</article>`,
      ARTICLE_DATA,
    );
    expect(text.match(/ENTRY/g)).toHaveLength(10);
  });

  it('is after three like boxes that it quotes in its middle', () => {
    const box =
      '<div class="card"><p>QUOTED The mayor said that the harbour stays open, and that no one leaves.</p></div>';
    const text = textOf(
      `<article><h1>Ferry</h1>${paragraphs(3)}${box.repeat(3)}${paragraphs(3)}</article>`,
      ARTICLE_DATA,
    );
    expect(text.match(/QUOTED/g)).toHaveLength(3);
  });
});

describe('a page of teasers', () => {
  it('keeps them even if it declares an article', () => {
    const teaser =
      '<article class="tease"><h3><a href="/1">Hens</a></h3><p>TEASER A farmer counted his hens and lost three.</p></article>';
    expect(textOf(`<main><h1>News</h1>${teaser.repeat(12)}</main>`, ARTICLE_DATA).match(/TEASER/g)).toHaveLength(12);
  });
});

describe('a conversation', () => {
  const reply = `<div class="reply"><p>REPLY ${SENTENCES}</p></div>`;

  it('is recognised by replies that outweigh a short opening, without a URL that names a forum', () => {
    const text = textOf(
      `<div id="app"><div class="content markdown"><h1>Rope or chain?</h1><p>I bought a small boat; what do you use?</p></div><section class="comments"><h2>9 replies</h2>${reply.repeat(9)}</section></div>`,
    );
    expect(text.match(/REPLY/g)).toHaveLength(9);
    expect(text).toContain('small boat');
  });

  it('keeps its opening beside heavier comments', () => {
    const text = textOf(
      `<main><article class="post"><h1>Open thread</h1><p>OPENING This is the monthly open thread; ask anything, and we answer here.</p></article><div class="comments-area"><h2>Comments</h2><div class="c"><b>Ann</b>${paragraphs(1)}</div>${`<div class="c"><b>Ann</b>${paragraphs(1)}</div>`.repeat(11)}</div></main>`,
    );
    expect(text).toContain('OPENING');
  });

  it('is recognised by replies that are about as long as a short opening', () => {
    const text = textOf(
      `<main><div class="post"><h1>Ferry</h1>${paragraphs(2)}</div><div class="comments"><div class="reply"><p>REPLY ${SENTENCES}</p></div><div class="reply"><p>REPLY They said the same of the old boat, and it still crosses every single morning.</p></div></div></main>`,
    );
    expect(text.match(/REPLY/g)).toHaveLength(2);
    expect(text).toContain('northern quay');
  });

  it('is not what a short text above the notice of a form for comments is', () => {
    const text = textOf(
      `<main><div class="post"><h1>Ferry</h1>${paragraphs(2)}</div><div class="comments"><p>NOTICE To post a comment here, log in first, or create a free account.</p></div></main>`,
    );
    expect(text).not.toContain('NOTICE');
  });

  it('is not what a long post with many comments is', () => {
    const text = textOf(
      `<main><article><h1>Ferry</h1>${paragraphs(18)}</article><div class="comments">${reply.repeat(60)}</div></main>`,
    );
    expect(text).not.toContain('REPLY');
  });

  it('is not what an article with comments is that structured data declares', () => {
    const text = textOf(
      `<main><article><h1>Ferry</h1>${paragraphs(4)}</article><div class="comments">${reply.repeat(20)}</div></main>`,
      ARTICLE_DATA,
    );
    expect(text).not.toContain('REPLY');
  });
});

describe('a page that declares what its comments are about', () => {
  const steps = `<ol><li>STEP Beat four eggs with the sugar until they are light.</li><li>STEP Add the flour, and bake it for an hour.</li></ol>`;
  const comments = `<div class="comments">${`<div class="c"><p>REPLY ${SENTENCES}</p></div>`.repeat(8)}</div>`;

  it.each([
    ['microdata', `<div itemscope itemtype="http://schema.org/Recipe"><b itemprop="name">Cake</b>${steps}</div>`, ''],
    ['JSON-LD', steps, '<script type="application/ld+json">{"@type":"Recipe","name":"Cake"}</script>'],
  ])('is no conversation (%s)', (_, recipe, head) => {
    const text = textOf(`<main><h1>Cake</h1><p>${SENTENCES}</p>${recipe}${comments}</main>`, head);
    expect(text.match(/STEP/g)).toHaveLength(2);
    expect(text).not.toContain('REPLY');
  });
});

describe('a page whose only text is reviews', () => {
  it('keeps them', () => {
    const review = `<div class="review"><b>Kim</b><p>REVIEW ${SENTENCES}</p></div>`;
    expect(textOf(`<main><h1>Reviews</h1>${review.repeat(10)}</main>`).match(/REVIEW/g)).toHaveLength(10);
  });
});

describe('lines that recur in like blocks', () => {
  it('are left out of posts', () => {
    const post = (at: number): string =>
      `<div class="post"><ul class="stats"><li>Member</li><li>${at},204 posts</li></ul><p class="when">Posted May ${at}</p><p>${SENTENCES} Number ${at}.</p><p>Expand</p></div>`;
    const text = textOf(`<body class="forum"><main>${[1, 2, 3, 4, 5].map(post).join('')}</main></body>`);
    expect(text).not.toMatch(/204 posts|Expand|Member/);
    expect(text).toContain('Number 3.');
  });

  it('are left out of cards, except prices and names', () => {
    const card = (at: number): string =>
      `<div class="card"><a href="/b${at}"><h3>Shelf ${at}</h3></a><span>$5${at}</span><div>Choose colour</div></div>`;
    const text = textOf(
      `<main><h1>Bookcases</h1><div class="grid">${[1, 2, 3, 4, 5, 6].map(card).join('')}</div></main>`,
    );
    expect(text).not.toContain('Choose colour');
    expect(text).toContain('Shelf 4');
    expect(text).toContain('$54');
  });

  it('stay where they are the blocks themselves, as in a menu that is all a page has', () => {
    expect(textOf(`<main><nav>${'<a href="/x">Harbour news today</a> '.repeat(20)}</nav></main>`)).toContain(
      'Harbour news',
    );
  });

  it('stay where they are the rows of a reference', () => {
    const entry = (at: number): string =>
      `<dt>option-${at}</dt><dd>Default</dd><dd>Sets the level of the gauge number ${at} in metres.</dd>`;
    const text = textOf(
      `<main><h1>Options</h1><dl>${Array.from({ length: 40 }, (_, at) => entry(at)).join('')}</dl></main>`,
    );
    expect(text).toContain('option-39');
    expect(text).toContain('gauge number 39');
  });
});

describe('the lead of a text', () => {
  const lead =
    '<p>LEAD The lead states in two sentences what happened, to whom, and why it matters to the town. It stands in a box of its own, before the text.</p>';

  it('is kept where it stands in a box before the text', () => {
    expect(
      textOf(`<div class="wrap"><div class="intro">${lead}</div><div class="textblock">${paragraphs(12)}</div></div>`),
    ).toContain('LEAD');
  });

  it('is kept between the headline and the text', () => {
    const text = textOf(
      `<main><header><h1>Ferry</h1><div><span>1,204 views</span></div></header><div class="intro">${lead}</div><div class="menu-x"><a href="/a">World</a></div><div class="textblock">${paragraphs(12)}</div></main>`,
    );
    expect(text).toContain('LEAD');
    expect(text).not.toContain('views');
  });

  it('is not the caption of an image before the text', () => {
    const caption = lead.replace('LEAD', 'CAPTION');
    expect(
      textOf(
        `<div class="wrap"><div class="media"><img src="a.jpg"><div>${caption}</div></div><div class="textblock">${paragraphs(12)}</div></div>`,
      ),
    ).not.toContain('CAPTION');
  });
});

describe('a name', () => {
  it('of a caption does not remove a card with a heading', () => {
    const card =
      '<div class="thumbnail"><img src="1.jpg"><div class="caption"><h4>CARD Lantern</h4><p>Brass body, glass door, $29.00</p></div></div>';
    expect(textOf(`<main><h1>Lanterns</h1><div class="grid">${card.repeat(8)}</div></main>`)).toContain('CARD');
  });

  it('that a page system gives to all of its components removes nothing', () => {
    expect(
      textOf(
        `<main><div class="cmp-container"><h1>Advice</h1>${paragraphs(3)}<div class="cmp-text">KEPT We help mills, mines and harbours plan their books.</div></div></main>`,
      ),
    ).toContain('KEPT');
  });

  it('does not remove a quoted post between the paragraphs', () => {
    expect(
      textOf(
        `<article><h1>Derby</h1><div class="entry-content">${paragraphs(4)}<div class="social-embed"><blockquote class="twitter-tweet"><p>KEPT What a night, thank you all, the cup is ours again.</p>- Club May 2</blockquote></div>${paragraphs(4)}</div></article>`,
      ),
    ).toContain('KEPT');
  });

  it('still removes a cookie dialog that is not shown', () => {
    expect(
      textOf(
        `<main><h1>Ferry</h1>${paragraphs(4)}</main><div class="cookie" style="display:none"><p>DIALOG We use cookies.</p></div>`,
      ),
    ).not.toContain('DIALOG');
  });
});

describe('a product page', () => {
  it('keeps the description beside heavier reviews', () => {
    const review = `<div class="review"><b>Kim</b>${paragraphs(1)}</div>`;
    expect(
      textOf(
        `<main><div class="product"><h1>Pack 25</h1><div class="desc"><p>KEPT A day pack of 25 litres, with a rain cover and two side pockets.</p><ul><li>Weight: 900 g</li></ul></div></div><div class="product-reviews"><h2>Reviews</h2>${review.repeat(10)}</div></main>`,
      ),
    ).toContain('KEPT');
  });
});
