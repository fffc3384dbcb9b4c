import { describe, expect, it } from '@jest/globals';
import { outcomeOf, refusalOf } from './outcome.ts';
import type { FileVerdict, SiteFile } from './tree.ts';

const NOTHING = { method: 'none', stop: undefined, refusal: undefined, files: [] } as const;

const file = (verdict: FileVerdict, httpStatus: number): SiteFile => ({
  url: 'https://site.test/sitemap.xml',
  parent: '',
  foundBy: 'robots',
  kind: undefined,
  verdict,
  httpStatus,
  bytes: 0,
  urls: 0,
  alternates: 0,
  foreign: 0,
  section: '',
  lastmodFrom: '',
  lastmodTo: '',
  error: '',
  entries: '',
});

describe('outcomeOf', () => {
  it.each(['site_down', 'refused', 'robots'] as const)('fails a map that read nothing because of %s', (refusal) => {
    expect(outcomeOf({ ...NOTHING, refusal })).toEqual({ status: 'error', stop: refusal });
  });

  it('lets a map be done that read something, also if the front page was refused', () => {
    expect(outcomeOf({ ...NOTHING, method: 'sitemap', refusal: 'refused' })).toEqual({
      status: 'done',
      stop: undefined,
    });
    expect(outcomeOf({ ...NOTHING, method: 'links', stop: 'page_limit' })).toEqual({
      status: 'done',
      stop: 'page_limit',
    });
  });

  it('lets a map be done of a site that has nothing to read', () => {
    expect(outcomeOf(NOTHING)).toEqual({ status: 'done', stop: undefined });
    expect(outcomeOf({ ...NOTHING, files: [file('missing', 404)] })).toEqual({ status: 'done', stop: undefined });
    expect(outcomeOf({ ...NOTHING, files: [file('failed', 200)] })).toEqual({ status: 'done', stop: undefined });
  });

  it('fails a map all of whose files were refused or gave no response', () => {
    expect(outcomeOf({ ...NOTHING, files: [file('blocked', 403), file('blocked', 200)] })).toMatchObject({
      stop: 'refused',
    });
    expect(outcomeOf({ ...NOTHING, files: [file('failed', 0), file('failed', 503)] })).toMatchObject({
      stop: 'site_down',
    });
    expect(outcomeOf({ ...NOTHING, files: [file('failed', 0), file('missing', 404)] })).toMatchObject({
      status: 'done',
    });
  });

  it('keeps credit_limit: nothing was requested', () => {
    expect(outcomeOf({ ...NOTHING, stop: 'credit_limit', refusal: 'refused' })).toEqual({
      status: 'done',
      stop: 'credit_limit',
    });
  });
});

it.each([
  [0, 'site_down'],
  [500, 'site_down'],
  [503, 'site_down'],
  [401, 'refused'],
  [403, 'refused'],
  [429, 'refused'],
  [404, undefined],
  [410, undefined],
])('refusalOf states for status %d: %s', (status, refusal) => {
  expect(refusalOf(status)).toBe(refusal);
});
