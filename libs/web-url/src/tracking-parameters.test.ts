import { expect, it } from '@jest/globals';
import { isTrackingParameter } from './tracking-parameters.ts';

it('recognises campaign and click parameters in any case, and no parameter that may select a page', () => {
  const tracking = ['utm_source', 'UTM_Campaign', 'gclid', 'fbclid', 'msclkid', 'mc_eid', '_ga', 'mtm_kwd'];
  const selecting = ['id', 'p', 'page', 'q', 'ref', 'source', 'utm', 'clid', 'lang', 'v', 'campaign'];
  expect(tracking.filter((name) => !isTrackingParameter(name))).toEqual([]);
  expect(selecting.filter(isTrackingParameter)).toEqual([]);
});
