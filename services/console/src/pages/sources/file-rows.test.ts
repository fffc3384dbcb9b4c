import { describe, expect, it } from '@jest/globals';
import type { MapFile } from '@tidemark/sdk';
import { fileRows } from './file-rows.ts';

const file = (url: string, parent: string | null): MapFile => ({
  url,
  parent,
  foundBy: 'index',
  kind: 'sitemap',
  verdict: 'read',
  status: 200,
  bytes: 1,
  urls: 1,
  alternates: 0,

  foreign: 0,
  section: '',
  lastmodFrom: null,
  lastmodTo: null,
  error: null,
});
const shown = (files: readonly MapFile[]) => fileRows(files).map(({ file: { url }, depth }) => `${depth} ${url}`);

describe('the rows of a sitemap tree', () => {
  it('are the files below their indexes; one whose index is missing or that lists itself is shown once', () => {
    const tree = [
      file('/index', null),
      file('/b', '/a'),
      file('/a', '/index'),
      file('/lost', '/gone'),
      file('/self', '/self'),
    ];
    expect(shown(tree)).toEqual(['0 /index', '1 /a', '2 /b', '0 /lost', '0 /self']);
    expect(shown([file('/x', '/y'), file('/y', '/x')])).toEqual(['0 /x', '1 /y']);
    expect(shown([])).toEqual([]);
  });
});
