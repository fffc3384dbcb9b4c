import { describe, expect, it } from '@jest/globals';
import { isSame, planSites } from './plan-sites.ts';
import type { DesiredDestination, DesiredProject, PresentProject } from './sites.ts';

const desired = (more: Partial<DesiredProject> = {}): DesiredProject => ({
  key: 'harbour',
  reference: 'docs/harbour',
  seed: 'https://harbour.example/',
  hasScheme: true,
  name: 'harbour',
  tags: [],
  schedule: 'daily',
  timezone: 'UTC',
  retention: 90,
  config: {},
  shownConfig: more.config ?? {},
  destinations: [],
  ...more,
});
const present = (more: Partial<PresentProject> = {}): PresentProject => ({
  id: 'prj_1',
  reference: 'docs/harbour',
  seed: 'https://harbour.example/',
  name: 'harbour',
  tags: [],
  schedule: 'daily',
  timezone: 'UTC',
  retention: 90,
  config: {},
  destinations: [],
  ...more,
});
const plan = (projects: readonly DesiredProject[], existing: readonly PresentProject[]) =>
  planSites({ name: 'docs', projects }, { projects: existing, connections: [{ id: 'con_1', name: 'Warehouse' }] });
const warehouse: DesiredDestination = { name: 'Pages', connection: 'Warehouse', settings: { table: 'pages' } };

describe('planSites', () => {
  it('has no step for a workspace that equals the file', () => {
    expect(plan([desired()], [present()])).toEqual({ steps: [], unchanged: 1, faults: [] });
  });

  it('creates a project whose reference does not exist, then its destinations', () => {
    const project = desired({ destinations: [warehouse] });
    expect(plan([project], []).steps).toEqual([
      { kind: 'create-project', project },
      {
        kind: 'create-destination',
        reference: 'docs/harbour',
        name: 'Pages',
        body: { name: 'Pages', connection_id: 'con_1', table: 'pages' },
      },
    ]);
  });

  it('makes the tags equal to those of the file', () => {
    expect(plan([desired({ tags: ['boats', 'prices'] })], [present({ tags: ['boats'] })]).steps).toMatchObject([
      { kind: 'change-project', patch: { tags: ['boats', 'prices'] }, differences: [{ path: 'tags' }] },
    ]);
    expect(plan([desired()], [present({ tags: ['boats'] })]).steps).toMatchObject([{ patch: { tags: [] } }]);
    expect(plan([desired({ tags: ['boats'] })], [present({ tags: ['boats'] })]).steps).toEqual([]);
  });

  it('changes what differs, and resets keys that the file does not have', () => {
    const { steps } = plan(
      [desired({ schedule: 'weekly', config: { max_pages: 5 } })],
      [present({ config: { max_pages: 9, max_depth: 2 } })],
    );
    expect(steps).toMatchObject([
      { kind: 'change-project', patch: { schedule: 'weekly', config: { max_pages: 5, max_depth: null } } },
    ]);
  });

  it('compares secrets by what the API shows of them, and sends the value of the file', () => {
    const config = { webhook_url: 'https://hooks.example/secret' };
    const project = desired({ config, shownConfig: { webhook_url: 'https://hooks.example/***' } });
    expect(plan([project], [present({ config: { webhook_url: 'https://hooks.example/***' } })]).steps).toEqual([]);
    expect(plan([project], [present()]).steps).toMatchObject([
      { patch: { config }, differences: [{ path: 'config.webhook_url', to: 'https://hooks.example/***' }] },
    ]);
  });

  it('keeps decisions about ignored changes that people made in the console', () => {
    expect(plan([desired()], [present({ config: { volatile_overrides: [{}] } })]).steps).toEqual([]);
  });

  it('deletes projects and destinations that the file does not have', () => {
    const destination = { id: 'dst_1', name: 'Old', connectionId: 'con_1', settings: {} };
    const { steps } = plan(
      [desired()],
      [present({ destinations: [destination] }), present({ id: 'prj_2', reference: 'docs/old' })],
    );
    expect(steps).toEqual([
      { kind: 'delete-destination', projectId: 'prj_1', id: 'dst_1', reference: 'docs/harbour', name: 'Old' },
      { kind: 'delete-project', id: 'prj_2', reference: 'docs/old' },
    ]);
  });

  it('changes a destination in the settings that the file gives', () => {
    const existing = {
      id: 'dst_1',
      name: 'Pages',
      connectionId: 'con_1',
      settings: { table: 'other', mode: 'mirror', shape: { columns: [], where: 'words > 1' } },
    };
    const destination = { ...warehouse, settings: { table: 'pages', shape: { where: 'words > 1' } } };
    expect(
      plan([desired({ destinations: [destination] })], [present({ destinations: [existing] })]).steps,
    ).toMatchObject([{ kind: 'change-destination', id: 'dst_1', patch: { table: 'pages' } }]);
  });

  it('refuses another seed, an unknown connection and a name of two connections', () => {
    expect(plan([desired({ seed: 'https://other.example/' })], [present()]).faults).toEqual([
      expect.stringContaining('the seed of a project cannot change'),
    ]);
    expect(plan([desired({ destinations: [{ ...warehouse, connection: 'Lake' }] })], []).faults).toEqual([
      expect.stringContaining('no connection is named Lake'),
    ]);
  });

  it('accepts the scheme that the server found for a seed without one', () => {
    expect(plan([desired({ hasScheme: false })], [present({ seed: 'http://harbour.example/' })]).faults).toEqual([]);
    expect(plan([desired()], [present({ seed: 'http://harbour.example/' })]).faults).toHaveLength(1);
  });
});

describe('isSame', () => {
  it.each([
    [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: null }, {}, false],
    [undefined, undefined, true],
    [{}, [], false],
  ])('compares %j with %j', (one, other, same) => expect(isSame(one, other)).toBe(same));
});
