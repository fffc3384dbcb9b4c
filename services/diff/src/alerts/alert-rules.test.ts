import { describe, expect, it } from '@jest/globals';
import { ALERT_TEMPLATES, compileCondition } from '@tidemark/alert-rules';
import { MemoryProject } from '../../test/fixtures/memory-project.ts';
import type { SitePage } from '../../test/fixtures/site-pages.ts';
import { missing, page, pageAbout } from '../../test/fixtures/small-site.ts';
import type { Entry } from '../records/entries/entry.ts';
import { alertInputsOf } from './alert-inputs.ts';
import { evaluateRules } from './evaluate-rules.ts';

const HOME = 'http://shop.example/';
const LAMP = 'http://shop.example/lamp';
const home = pageAbout('home');

const failing: SitePage = { reading: { verdict: 'blocked', errorCode: 'SERVER_ERROR', httpStatus: 503, words: 0 } };
const lamp = (more: Partial<SitePage> = {}, ...texts: string[]): SitePage => ({
  ...page('A lamp of brass', 'It stands on a table', ...texts),
  head: { title: 'Brass lamp', canonical: LAMP },
  ...more,
});

/** Runs a project over the states of a page, and returns the entries of each run after the first. */
async function historyOf(...states: (SitePage | undefined)[]): Promise<Entry[][]> {
  const project = new MemoryProject();
  const runs: Entry[][] = [];
  for (const state of states) {
    const { entries } = await project.run(state === undefined ? { [HOME]: home } : { [HOME]: home, [LAMP]: state });
    runs.push([...entries]);
  }
  return runs.slice(1);
}

/** Returns for each run after the first whether a rule matches. */
async function matchesOf(when: string, states: (SitePage | undefined)[], isInitial = false): Promise<boolean[]> {
  const condition = compileCondition(when, 'any');
  const runs = await historyOf(...states);
  return runs.map(
    (entries) => evaluateRules([{ condition, isInitial }], entries.map(alertInputsOf)).matches.length > 0,
  );
}

const template = (id: string, values: Record<string, string> = {}): string =>
  ALERT_TEMPLATES.find((each) => each.id === id)?.when.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '') ??
  'false';

const priced = (price: number): SitePage => lamp({ product: { price } }, `Price: ${price} EUR`);
const withField = (price: number): SitePage => lamp({ fields: { price } }, `Price: ${price} EUR`);
const stocked = (inStock: boolean): SitePage => lamp({ product: { inStock } }, inStock ? 'In stock' : 'Sold out');

describe('a rule', () => {
  it.each<[string, string, SitePage[], boolean[]]>([
    [
      'a price falls below a limit',
      template('price_below', { price: '100' }),
      [priced(120), priced(110), priced(90), priced(80)],
      [false, true, false],
    ],
    [
      'a price falls below it again',
      template('price_below', { price: '100' }),
      [priced(90), priced(120), priced(90)],
      [false, true],
    ],
    [
      'a field falls below a limit',
      template('field_below', { field: '"price"', value: '100' }),
      [withField(120), withField(90)],
      [true],
    ],
    [
      'a text appears',
      template('text_appears', { text: '"Product Recall"' }),
      [lamp(), lamp({}, 'Notice of product recall.'), lamp({}, 'Notice of product recall.', 'Ships today')],
      [true, false],
    ],
    [
      'a text appears a second time',
      template('text_appears', { text: '"recall"' }),
      [lamp(), lamp({}, 'A recall'), lamp({}, 'A recall', 'Another recall of lamps')],
      [true, true],
    ],
    [
      'a text disappears',
      template('text_disappears', { text: '"warranty"' }),
      [lamp({}, 'Ten years of warranty'), lamp()],
      [true],
    ],
    [
      'a product is back in stock',
      template('back_in_stock'),
      [stocked(true), stocked(false), stocked(true)],
      [false, true],
    ],
    [
      'the title changes',
      template('title_changed'),
      [lamp(), lamp({ head: { title: 'Lamp', canonical: LAMP } }, 'New text')],
      [true],
    ],
    [
      'the canonical URL changes',
      template('canonical_changed'),
      [lamp(), lamp({ head: { title: 'Brass lamp', canonical: HOME } }, 'New text')],
      [true],
    ],
    [
      'a page is refused',
      template('verdict_changed'),
      [lamp(), failing, failing, lamp({}, 'New')],
      [true, false, true],
    ],
    ['a page begins to fail', 'page.httpStatus >= 500', [lamp(), failing, failing], [true, false]],
    [
      'a limit is a multiple',
      'product.price.after * 2 < product.price.before',
      [priced(100), priced(60), priced(20)],
      [false, true],
    ],
    [
      'many words change outside of the footer',
      "words_added > 3 && section != 'footer'",
      [lamp(), lamp({}, 'Five words are added here')],
      [true],
    ],
  ])('matches where %s, and not while that is so', async (_, when, states, expected) => {
    expect(await matchesOf(when, states)).toEqual(expected);
  });

  it('matches where a page is gone, once', async () => {
    expect(await matchesOf(template('page_gone'), [lamp(), missing, missing, missing])).toEqual([false, true, false]);
  });

  it('does not match a new page that meets it, unless it is set to, or the page being new is the condition', async () => {
    expect(await matchesOf('product.price.after < 100', [undefined, priced(90)])).toEqual([false]);
    expect(await matchesOf('product.price.after < 100', [undefined, priced(90)], true)).toEqual([true]);
    expect(await matchesOf("kind == 'added' && product.price.after < 100", [undefined, priced(90)])).toEqual([true]);
    expect(await matchesOf('mentions(entry.text_added, "brass")', [undefined, priced(90)])).toEqual([true]);
  });

  it('takes nothing that is missing for a change', async () => {
    for (const when of ['head.title.changed', 'product.inStock.changed', 'fields.price.changed'])
      expect(await matchesOf(when, [withField(3), failing, missing])).toEqual([false, false]);
  });

  it('states how often it could not be evaluated, and why', async () => {
    const [entries = []] = await historyOf(lamp(), lamp({}, 'New text'));
    const rule = { condition: compileCondition('product.price.after < 3', 'any'), isInitial: false };
    const { matches, failures } = evaluateRules([rule], entries.map(alertInputsOf));
    expect([matches, failures]).toEqual([[], [{ entries: 1, message: expect.stringContaining('null') }]]);
  });

  it('reads the fields of entries that were stored without their pages', async () => {
    const [entries = []] = await historyOf(withField(120), withField(90));
    const stored = entries.map(({ pageStates: _, ...entry }): Entry => entry);
    const rule = { condition: compileCondition('fields.price.after < 100', 'any'), isInitial: false };
    expect(evaluateRules([rule], stored.map(alertInputsOf)).matches).toHaveLength(1);
  });
});
