import { describe, expect, it } from '@jest/globals';
import { usageRows } from './usage-rows.ts';

const names = {
  kinds: { page: 'pages' },
  projects: new Map([['prj_1', 'Harbour']]),
  actors: new Map([['key_1', 'reporting']]),

  noProject: 'without',
  deletedProject: 'deleted',
  schedules: 'schedules',
};
const month = {
  pages: 9,
  credits: 12,
  tokens: [],
  byKind: [{ kind: 'page' as const, pages: 9, credits: 12 }],
  byProject: [
    { projectId: 'prj_1', pages: 1, credits: 2 },
    { projectId: 'prj_2', pages: 3, credits: 3 },
    { projectId: null, pages: 5, credits: 7 },
  ],
  byKey: [
    { keyId: 'key_1', memberId: null, pages: 4, credits: 4 },
    { keyId: null, memberId: 'usr_1', pages: 1, credits: 2 },
    { keyId: null, memberId: null, pages: 4, credits: 6 },
  ],
};
const shown = (by: 'kind' | 'project' | 'key') =>
  usageRows(month, by, names).map(({ name, credits }) => [name, credits]);

describe('the usage of a month', () => {
  it('is named by kind, project, and key or person, most credits first', () => {
    expect(shown('kind')).toEqual([['pages', 12]]);
    expect(shown('project')).toEqual([
      ['without', 7],
      ['deleted', 3],
      ['Harbour', 2],
    ]);
    expect(shown('key')).toEqual([
      ['schedules', 6],
      ['reporting', 4],
      ['usr_1', 2],
    ]);
  });
});
