import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { at, list, record, yamlReader } from '../chart/manifests.ts';
import { chartServices } from './chart-values.ts';
import { composeServices } from './compose-services.ts';
import { flowYaml } from './flow-yaml.ts';
import { compareWiring } from './generated-parts.ts';
import { readServices } from './read-code.ts';
import { settingsTable, unexplained } from './settings-table.ts';

const readYaml = yamlReader();
const services = await readServices();

describe('the YAML on one line', () => {
  it.each([
    [{ a: ['b', '10.0.0.0:8787', 'x: y', 'true', '', '1'], c: { d: null, e: 2, f: {} } }],
    [{ text: 'Tidemark <tidemark@localhost>', quoted: '"a" \\ #b', comma: 'a, b', brace: ['${A:-b', ' c}'].join('') }],
  ])('is read as the value that was written: %j', (value) => {
    expect(readYaml(flowYaml(value))).toEqual([value]);
  });
});

describe('the services in the values of the chart', () => {
  const [values] = readYaml(chartServices(services));

  it.each(services)('list every setting that services/$name reads, once, and no other', ({ name, shape, calls }) => {
    const given = ['config', 'secrets', 'listens'].flatMap((part) => Object.keys(record(at(values, name, part) ?? {})));
    const addresses = calls.map((called) => `${called.toUpperCase().replaceAll('-', '_')}_ADDR`);
    const common = /^(GRPC_|HTTP_LISTEN$|LOG_LEVEL$|FLEET_KEYS$)/;
    expect([...given, ...addresses].sort()).toEqual(
      Object.keys(shape)
        .filter((key) => !common.test(key))
        .sort(),
    );
  });

  it('read optional settings from Secrets as optional, and stores as required', () => {
    expect(at(values, 'browser-pool', 'secrets')).toEqual({
      TIDEMARK_EXITS: { optional: true },
      HTTPS_PROXY: { optional: true },
      REDIS_URL: {},
    });
    expect(at(values, 'delivery', 'secrets', 'MAIL_URL')).toEqual({ optional: true });
    expect(at(values, 'delivery', 'secrets', 'SEALING_KEYS')).toEqual({});
  });

  it('scale a service by the backlog of the consumers of its code', () => {
    const lag = list(values, 'scrape', 'autoscaling', 'lag');
    expect(lag).toContainEqual({ stream: 'WORK', consumer: 'workers-work-page', threshold: 32 });
    expect(lag).toContainEqual({ stream: 'EVENTS', consumer: 'scrape-event-run-finished', threshold: 200 });
  });
});

describe('the services in compose.yaml', () => {
  // The anchors are of the part that is written by hand.
  const text = composeServices(services).replaceAll(/\*[\w-]+/g, '{}');
  const [compose] = readYaml(text);

  it.each(services)('have no setting that services/$name does not read', ({ name, shape }) => {
    const given = Object.keys(record(at(compose, name, 'environment')));
    expect(given.filter((key) => !(key in shape))).toEqual([]);
  });

  it('offer the settings of operators with the defaults of the code, and none of tests', () => {
    expect(at(compose, 'identity', 'environment', 'SIGN_UP')).toBe(['${', 'SIGN_UP:-invite}'].join(''));
    expect(at(compose, 'billing', 'environment', 'RAZORPAY_URL')).toBeUndefined();
  });

  it('share no network with a service that runs code of pages, except its callers', () => {
    const inPool = services.filter(({ name }) => list(compose, name, 'networks').includes('pool'));
    const callers = services.filter(({ calls }) => calls.includes('browser-pool'));
    expect(inPool.map(({ name }) => name).sort()).toEqual(['browser-pool', ...callers.map(({ name }) => name)].sort());
  });
});

describe('the table of settings of a service', () => {
  it('states the meaning and the default from its config.ts', () => {
    const archive = services.find(({ name }) => name === 'archive');
    expect(archive && settingsTable(archive)).toContain(
      '| `SEARCH_MS` | Time limit of one search call, ms; the next call continues the scan. | `150` |',
    );
  });

  it('states a default that differs between machines in words', () => {
    const scrape = services.find(({ name }) => name === 'scrape');
    expect(scrape && settingsTable(scrape)).toContain(
      '| `READ_THREADS` | Threads that parse pages. | one per core, at most four |',
    );
  });

  it.each(services)('has a meaning for every setting of services/$name', (service) => {
    expect(unexplained(service)).toEqual([]);
  });
});

describe('the check of the generated parts', () => {
  const root = resolve(import.meta.dirname, '../..');
  const copy = mkdtempSync(join(tmpdir(), 'tidemark-wiring-'));
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  const edit = (file: string, from: string, to: string): void => {
    const text = readFileSync(join(copy, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(copy, file), text.replace(from, to));
  };

  it('finds a value, a setting or a service that differs from the code, and rewrites the generated parts', async () => {
    const { files } = await compareWiring(root, 'check');
    for (const file of [...files, 'README.md']) cpSync(join(root, file), join(copy, file));
    edit('helm/tidemark/values.yaml', 'maxReplicas: 50', 'maxReplicas: 51');
    edit('services/archive/README.md', '| `SEARCH_MS` |', '| `SEARCH_TIME` |');
    const { problems } = await compareWiring(copy, 'check');
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'helm/tidemark/values.yaml',
      'services/archive/README.md',
    ]);
    await compareWiring(copy, 'write');
    expect(await compareWiring(copy, 'check')).toMatchObject({ problems: [] });
    edit('ARCHITECTURE.md', '| mcp | MCP endpoint', '| agents | MCP endpoint');
    const { problems: unnamed } = await compareWiring(copy, 'check');
    expect(unnamed).toEqual(['ARCHITECTURE.md does not name mcp among the services']);
    edit('ARCHITECTURE.md', '| `robots` |', '| `rules` |');
    const { problems: unlisted } = await compareWiring(copy, 'check');
    expect(unlisted.at(-1)).toBe('ARCHITECTURE.md does not name robots among the libraries');
    edit('ARCHITECTURE.md', '| `event.run.page` | scrape | crawl |', '| `event.run.page` | scrape | diff |');
    expect((await compareWiring(copy, 'check')).problems.at(-1)).toMatch(/^ARCHITECTURE.md differs from the code/);
  });
});
