import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import type { HeadData } from './read-head.ts';

const head = (html: string): HeadData =>
  readPage({ html, url: 'https://site.example/p/', content: USUAL_CONTENT, outputs: new Set() }).head;

describe('readHead', () => {
  it('collects titles, URLs, social tags, feeds and languages, absolute and JSON-safe', () => {
    const read =
      head(`<html lang="en_GB"><head><title>Story | The Site</title><meta name="description" content=" about  it ">
      <link rel="canonical" href="/story"><link rel="shortcut icon" href="/f.ico"><meta name="robots" content="noindex">
      <meta property="og:type" content="article"><meta property="og:site_name" content="The Site"><meta name="twitter:card" content="summary">
      <link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="application/rss+xml" title="News" href="/feed"></head><body><p>x`);
    expect(read).toMatchObject({
      title: 'Story | The Site',
      headline: 'Story',
      description: 'about it',
      canonical: 'https://site.example/story',
      favicon: 'https://site.example/f.ico',
      robots: 'noindex',
      language: 'en-gb',
      og: { type: 'article', site_name: 'The Site' },
      twitter: { card: 'summary' },
      hreflang: [{ lang: 'de', url: 'https://site.example/de' }],
      feeds: [{ url: 'https://site.example/feed', title: 'News', type: 'application/rss+xml' }],
    });
    expect(JSON.parse(JSON.stringify(read))).toEqual(read);
  });

  it('reads author and dates from JSON-LD graphs and ignores broken ones', () => {
    const read =
      head(`<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","author":[{"name":"A. Writer"}],"datePublished":"2024-05-06T07:08:09Z","dateModified":"2024-05-07"}]}</script>
      <script type="application/ld+json">{"broken": </script><p>x`);
    expect(read).toMatchObject({
      author: 'A. Writer',
      publishedAt: '2024-05-06T07:08:09.000Z',
      modifiedAt: '2024-05-07T00:00:00.000Z',
    });
    expect(read.jsonLd).toHaveLength(1);
  });

  it('reads the modification date from the names publishers use', () => {
    for (const name of ['article:modified_time', 'dcterms.modified', 'last-modified'])
      expect(head(`<meta name="${name}" content="2024-05-07T10:00:00Z"><p>x`).modifiedAt).toBe(
        '2024-05-07T10:00:00.000Z',
      );
  });

  it('keeps the document title as it stands, and the heading that it repeats as the headline', () => {
    const html =
      '<title>A long story about boats - The Daily Site</title><meta property="og:title" content="Boats!"><h1>A long story about boats</h1>';
    expect(head(html)).toMatchObject({
      title: 'A long story about boats - The Daily Site',
      headline: 'A long story about boats',
      og: { title: 'Boats!' },
    });
  });

  it('takes the title of Open Graph or the first heading where the document has none', () => {
    expect(head('<meta property="og:title" content="Boats"><h1>Ships</h1>').title).toBe('Boats');
    expect(head('<title> </title><h1>Ships</h1>').title).toBe('Ships');
  });
});
