import { describe, expect, it } from '@jest/globals';
import { bodyOf as connectionBody, draftOf as connectionDraft, fieldMessages } from './connection-draft.ts';
import { bodyOf, columnsOf, messagesOf, newDraft, shapeOf } from './destination-draft.ts';

const provider = {
  id: 'pg',
  title: 'PostgreSQL',
  kind: 'postgres',
  needsOneOf: [],
  note: '',
  verified: true,
  secrets: [],
  fields: [
    { name: 'host', required: true, says: '', fallback: null, type: 'host' as const, choices: [] },
    { name: 'port', required: false, says: '', fallback: '5432', type: 'port' as const, choices: [] },
  ],
};

describe('the draft of a destination', () => {
  const draft = { ...newDraft('con_1', 'prj_1'), name: 'Warehouse', table: 'pages', columns: ['url'] };

  it('of a table has a table and no options of files, and the chosen projects', () => {
    const body = bodyOf(draft, true);
    expect(body).toMatchObject({ table: 'pages', freeze: false, scope: 'projects', projects: ['prj_1'], shape: null });
    expect(body).not.toHaveProperty('format');
    expect(bodyOf(draft, false)).not.toHaveProperty('table');
  });

  it('sends chosen columns, or computed ones, or only a condition', () => {
    expect(columnsOf(draft)).toEqual([]);
    expect(columnsOf({ ...draft, kind: 'chosen' })).toEqual(['url']);
    const computed = [
      { key: 1, name: 'address', expr: 'url', type: 'text' as const },
      { key: 2, name: '', expr: '', type: 'text' as const },
    ];
    expect(shapeOf({ ...draft, kind: 'computed', computed })).toEqual({
      columns: [{ name: 'address', expr: 'url', type: 'text' }],
    });
    expect(shapeOf({ ...draft, where: 'words > 9' })).toEqual({ where: 'words > 9' });
  });

  it('shows each refusal at its field or at its computed column', () => {
    const issues = [
      { loc: ['body', 'table'], msg: 'expected a name' },
      { loc: ['body', 'shape', 'columns', 1, 'expr'], msg: 'no column is named x' },
      { loc: ['body', 'shape', 'where'], msg: 'expected a condition' },
    ];
    expect(messagesOf(issues)).toEqual({
      table: 'Expected a name',
      'columns.1': 'No column is named x',
      where: 'Expected a condition',
    });
  });
});

describe('the draft of a connection', () => {
  it('begins with the defaults of the provider and sends ports as numbers', () => {
    const draft = connectionDraft(provider);
    expect(draft.config).toEqual({ host: '', port: '5432' });
    expect(connectionBody(provider, { ...draft, secrets: { password: '' } }, false)).toEqual({
      name: 'PostgreSQL',
      config: { port: 5432 },
      secrets: {},
    });
  });

  it('removes an emptied field of a stored connection and keeps its secrets', () => {
    const draft = { name: 'W', config: { host: 'db', port: '' }, secrets: { password: '' } };
    expect(connectionBody(provider, draft, true)).toEqual({
      name: 'W',
      config: { host: 'db', port: null },
      secrets: {},
    });
  });

  it('shows each refusal at its field', () => {
    expect(fieldMessages([{ loc: ['body', 'config', 'host'], msg: 'expected a host' }])).toEqual({
      host: 'Expected a host',
    });
  });
});
