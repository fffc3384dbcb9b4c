import { describe, expect, it } from '@jest/globals';
import { completionsOf, withoutLastTerm } from './complete-query.ts';

const HINTS = { verdict: 'outcome', depth: 'links', url: 'address' };
const queries = (query: string) => completionsOf(query, HINTS).map((one) => one.query);

describe('the query bar', () => {
  it('offers the fields that begin with the last word, also after a minus', () => {
    expect(queries('')).toEqual(['verdict:', 'depth:', 'url:']);
    expect(queries('depth:>2 v')).toEqual(['depth:>2 verdict:']);
    expect(queries('-VE')).toEqual(['-verdict:']);
  });

  it('offers the values of a field with a closed set, also after a comma, without those that are given', () => {
    expect(queries('verdict:b')).toEqual(['verdict:blocked']);
    expect(queries('verdict:ok,t')).toEqual(['verdict:ok,thin']);
    expect(queries('verdict:ok,')).not.toContain('verdict:ok,ok');
    expect(queries('depth:')).toEqual([]);
  });

  it('offers fields of the product, whose names contain a dot', () => {
    const offered = completionsOf('product.', { 'product.price': 'price' }).map((one) => one.query);
    expect(offered).toEqual(['product.price:']);
    expect(queries('product.inStock:t')).toEqual(['product.inStock:true']);
    expect(withoutLastTerm('verdict:ok product.brand:"big co"')).toBe('verdict:ok');
  });

  it('offers nothing inside quotes', () => {
    expect(queries('title:"u')).toEqual([]);
  });

  it('removes the last term, with the quotes around its words', () => {
    expect(withoutLastTerm('verdict:ok depth:>2')).toBe('verdict:ok');
    expect(withoutLastTerm('verdict:ok title:"about us"')).toBe('verdict:ok');
    expect(withoutLastTerm('verdict:ok')).toBe('');
  });
});
