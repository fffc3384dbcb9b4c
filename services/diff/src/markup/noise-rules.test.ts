import { describe, expect, it } from '@jest/globals';
import { compareMarkup } from './compare-markup.ts';
import { COMMENTS, NOISE_RULES } from './noise-rules.ts';

const compare = (before: string, after: string) => compareMarkup(before, after, { deadlineMs: 5_000 });

/** For each rule a pair that it makes equal. */
const PAIRS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  nonces: ['<script nonce="r4nd0m1">go()</script>', '<script nonce="r4nd0m2">go()</script>'],
  csrf_tokens: [
    '<form><input type="hidden" name="authenticity_token" value="aa11"><input name="q"></form>',
    '<form><input type="hidden" name="authenticity_token" value="bb22"><input name="q"></form>',
  ],
  integrity: [
    '<link rel="stylesheet" href="/a.css" integrity="sha384-AAA">',
    '<link rel="stylesheet" href="/a.css" integrity="sha384-BBB">',
  ],
  mail_tokens: [
    '<a href="/cdn-cgi/l/email-protection#5e2e2c37"><span data-cfemail="3d594d52">[email]</span></a>',
    '<a href="/cdn-cgi/l/email-protection#9b1c0d22"><span data-cfemail="77aa0192">[email]</span></a>',
  ],
  request_ids: ['<meta name="sentry-trace" content="7a79d34b-1">', '<meta name="sentry-trace" content="6494f6cd-1">'],
  build_ids: ['<html data-build="4711"><p>Text', '<html data-build="4712"><p>Text'],
  asset_names: ['<script src="/js/app.3f2a9c81.js"></script>', '<script src="/js/app.77b0d1e2.js"></script>'],
  session_ids: ['<a href="/cart;jsessionid=1A2B">Cart</a>', '<a href="/cart;jsessionid=9F8E">Cart</a>'],
  sources: ['<img src="/a.jpg" srcset="/a-1.jpg 1x">', '<img src="/a.jpg" srcset="/a-1.jpg 1x, /a-2.jpg 2x">'],
  class_hashes: ['<p class="Card_body__ToW2S lead">Text', '<p class="Card_body__9xKq1 lead">Text'],
  made_ids: [
    '<label for=":r1:">Name</label><input id=":r1:" name="n">',
    '<label for=":r7:">Name</label><input id=":r7:" name="n">',
  ],
  data_ids: ['<div data-v-7ba5bd90>Text</div>', '<div data-v-1c2d3e4f>Text</div>'],
  script_data: ['<script>window.state = {"visits": 17};</script>', '<script>window.state = {"visits": 18};</script>'],
  style_hashes: ['<style>.css-1x2y3z{color:red}</style>', '<style>.css-9a8b7c{color:red}</style>'],
  timestamps: ['<p>Rendered 2026-11-21 10:56:29', '<p>Rendered 2026-11-22 04:01:07'],
  head_order: [
    '<head><meta name="a" content="1"><meta name="b" content="2"></head>',
    '<head><meta name="b" content="2"><meta name="a" content="1"></head>',
  ],
  [COMMENTS]: ['<p>Text</p><!-- served by web-1 -->', '<p>Text</p><!-- served by web-2 -->'],
};

describe('NOISE_RULES', () => {
  it.each(NOISE_RULES.map(({ name }) => name).concat(COMMENTS))('ignores and counts %s', (name) => {
    const [before, after] = PAIRS[name] ?? ['', ''];
    const delta = compare(before, after);
    expect(delta.ops).toEqual([]);
    expect(Object.keys(delta.noiseSuppressed)).toEqual([name]);
  });

  it('does not count noise that is equal on both sides', () => {
    for (const [before] of Object.values(PAIRS)) expect(compare(before, before).noiseSuppressed).toEqual({});
  });

  it('describes what each rule matches and its effect', () => {
    for (const { matches, effect } of NOISE_RULES)
      expect([matches, effect]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
  });
});

describe('compareMarkup next to noise rules', () => {
  it.each([
    ['a price', '<p>$19', '<p>$91'],
    ['a date', '<p>Effective 1 March 2026', '<p>Effective 1 April 2026'],
    ['opening hours', '<p>Open 9:00 to 17:00', '<p>Open 10:00 to 17:00'],
    ['an authored class name', '<p class="warning">Text', '<p class="success">Text'],
    ['another image', '<img src="/golden-warbler.jpg">', '<img src="/rope-access.jpg">'],
    ['an image name with a number', '<img src="/IMG_1234567.jpg">', '<img src="/IMG_1234568.jpg">'],
    ['a page version in a link', '<a href="/manual.php?v=2">Manual</a>', '<a href="/manual.php?v=3">Manual</a>'],
    ['another script', '<script src="/a.js"></script>', '<script src="/b.js"></script>'],
    ['code', '<script>track("on")</script>', '<script>track("off")</script>'],
    [
      'linked data',
      '<script type="application/ld+json">{"price":1}</script>',
      '<script type="application/ld+json">{"price":2}</script>',
    ],
    ['a hidden input of a form', '<input type=hidden name=plan value=a>', '<input type=hidden name=plan value=b>'],
    [
      'the order of style sheets',
      '<head><link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css>',
      '<head><link rel=stylesheet href=/b.css><link rel=stylesheet href=/a.css>',
    ],
  ])('reports a change of %s', (_, before, after) => {
    expect(compare(before, after).ops).not.toEqual([]);
  });
});
