import { describe, expect, it } from '@jest/globals';
import { at, list, record, yamlReader } from '../chart/manifests.ts';
import { chartServices } from './chart-values.ts';
import { flowYaml } from './flow-yaml.ts';
import { readServices } from './read-code.ts';

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
    expect(at(values, 'browser-pool', 'secrets')).toEqual({ TIDEMARK_EXITS: { optional: true }, REDIS_URL: {} });
    expect(at(values, 'delivery', 'secrets', 'MAIL_URL')).toEqual({ optional: true });
    expect(at(values, 'delivery', 'secrets', 'SEALING_KEYS')).toEqual({});
  });

  it('scale a service by the backlog of the consumers of its code', () => {
    const lag = list(values, 'scrape', 'autoscaling', 'lag');
    expect(lag).toContainEqual({ stream: 'WORK', consumer: 'workers-work-page', threshold: 32 });
    expect(lag).toContainEqual({ stream: 'EVENTS', consumer: 'scrape-event-run-finished', threshold: 200 });
  });
});
