import { expect, it } from '@jest/globals';
import { detailText } from './audit-detail.ts';

const NAMES = {
  withNames: (text: string) => text.replace('prj_1', 'Harbour'),
  provider: (id: string) => (id === 'postgresql' ? 'PostgreSQL' : id),
};

it('the details of an audit entry name settings, providers and projects, and no identifier of the interface', () => {
  expect(detailText({ keys: ['store_html', 'max_pages'], seed: 'https://a.example/' }, NAMES)).toBe(
    'settings: Keep the HTML, Pages of a run at most · start URL: https://a.example/',
  );
  expect(detailText({ provider: 'postgresql', secrets: ['password'] }, NAMES)).toBe(
    'provider: PostgreSQL · secret fields: password',
  );
  expect(detailText({ projectId: 'prj_1' }, NAMES)).toBe('project: Harbour');
});

it('details without a name are shown with their own', () => {
  expect(detailText({ some_thing: 3 }, NAMES)).toBe('some thing: 3');
});
