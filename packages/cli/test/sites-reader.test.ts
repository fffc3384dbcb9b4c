import { type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readSites, sitesSchemaText } from '../src/sites-reader.ts';

const FILE = `version: 1
name: docs
defaults:
  schedule: daily
  config: { max_pages: 100, max_depth: 3 }
projects:
  harbour:
    seed: https://harbour.example/
    config:
      max_pages: 5
      webhook_url: \${HOOK}
      headers: { X-Key: secret-token }
    destinations:
      Pages: { connection: Warehouse, table: pages }
  tides:
    seed: tides.example
    schedule: 0 6 * * 1
`;
const ENV = { HOOK: 'https://hooks.example/page' };

describe('readSites', () => {
  it('reads projects with the defaults of the file, key by key', () => {
    const result = readSites(FILE, ENV);
    expect(result).toMatchObject({
      sites: {
        name: 'docs',
        projects: [
          {
            reference: 'docs/harbour',
            schedule: 'daily',
            config: { max_pages: 5, max_depth: 3, webhook_url: ENV.HOOK },
            destinations: [{ name: 'Pages', connection: 'Warehouse', settings: { table: 'pages' } }],
          },
          { reference: 'docs/tides', schedule: '0 6 * * 1', hasScheme: false, retention: 90 },
        ],
      },
    });
    expect(JSON.stringify('sites' in result && result.sites.projects[0]?.shownConfig)).not.toContain('secret-token');
  });

  it('names the line of a fault', () => {
    expect(readSites(FILE.replace('max_pages: 5', 'max_pagse: 5'), ENV)).toEqual({
      faults: ['10: projects.harbour.config.max_pagse: unknown key'],
    });
    expect(readSites(FILE, {})).toEqual({
      faults: ['11: projects.harbour.config.webhook_url: the variable HOOK is not set'],
    });
  });

  it('refuses text that is no YAML, and aliases that expand without limit', () => {
    expect(readSites('name: docs\na: [', {})).toEqual({ faults: [expect.stringMatching(/^2: Flow sequence/)] });
    expect(readSites(FILE.replace('  tides:', '  harbour:'), ENV)).toEqual({
      faults: ['15: Map keys must be unique'],
    });
    const levels = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(9)}]`);
    expect(readSites(`l0: &l0 [x]\n${levels.join('\n')}`, {})).toEqual({ faults: [expect.stringContaining('alias')] });
  });

  it('replaces a variable as text, never as syntax', () => {
    const hostile = readSites(FILE, { HOOK: 'https://h.example/"]\nprojects: {}' });
    expect(hostile).toHaveProperty('faults');
    expect(
      readSites('version: 1\nname: a\nprojects: { b: { seed: https://b.example/, name: "$${X}" } }', {}),
    ).toMatchObject({
      sites: { projects: [{ name: `\${X}` }] },
    });
  });
});

describe('sitesSchemaText', () => {
  it('is a JSON Schema that accepts the file and names an unknown key', () => {
    const schema: Schema = JSON.parse(sitesSchemaText());
    const validator = new Validator(schema, '2020-12');
    const file: unknown = parse(
      FILE.replace(/\$\{HOOK\}/, ENV.HOOK).replace('tides.example', 'https://tides.example/'),
    );
    expect(validator.validate(file).errors).toEqual([]);
    expect(validator.validate({ ...Object(file), schedul: 'daily' }).valid).toBe(false);
  });
});
