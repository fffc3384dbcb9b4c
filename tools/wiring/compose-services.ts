import {
  DESCRIPTIONS,
  type FromOperator,
  LOCAL_SETTINGS,
  type ServiceDescription,
  type ServiceName,
} from '../../deploy/services.ts';
import { flowYaml } from './flow-yaml.ts';
import type { ServiceCode, SettingOfCode } from './read-code.ts';

/** Anchors of `x-env` in compose.yaml, by a setting that they contain. */
const ANCHORS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'database',
  NATS_URL: 'nats',
  BLOB_URL: 'blobs',
  REDIS_URL: 'redis',
  SEALING_KEYS: 'sealing',
  TIDEMARK_EGRESS_ALLOW: 'egress',
  HTTPS_PROXY: 'proxy',
};

/** Returns the entries of the services in compose.yaml. */
export const composeServices = (services: readonly ServiceCode[]): string => services.map(composeService).join('\n\n');

function composeService(code: ServiceCode): string {
  const { name, settings, shape } = code;
  const { compose = {} } = DESCRIPTIONS[name];
  const anchors = settings.flatMap(({ key }) => ANCHORS[key] ?? []);
  const environment = settings.flatMap((setting) => {
    const value = environmentValue(setting, DESCRIPTIONS[name], code.listens);
    return value === undefined ? [] : [`      ${setting.key}: ${flowYaml(value)}`];
  });
  return [
    `  ${name}:`,
    '    <<: *service',
    `    build: { context: ., dockerfile: deploy/Dockerfile, args: { <<: *base-image, SERVICE: ${name} } }`,
    `    networks: ${flowYaml(networksOf(code))}`,
    '    environment:',
    `      <<: [${['fleet', ...anchors].map((anchor) => `*${anchor}`).join(', ')}]`,
    ...environment,
    ...('BLOB_URL' in shape ? ['    volumes: ["blobs:/blobs"]'] : []),
    ...Object.entries(compose.options ?? {}).map(([key, value]) => `    ${key}: ${flowYaml(value)}`),
  ].join('\n');
}

/** Returns the value of a setting; undefined: the anchors or the code state it. */
function environmentValue(
  { key, fallback }: SettingOfCode,
  { compose = {}, operator }: ServiceDescription,
  listens: ServiceCode['listens'],
): string | undefined {
  if (key.endsWith('_ADDR'))
    return `${key
      .replace(/_ADDR$/, '')
      .toLowerCase()
      .replaceAll('_', '-')}:${listens['GRPC_LISTEN']}`;
  const own = compose.environment?.[key];
  if (own !== undefined) return typeof own === 'string' ? own : substitution(own);
  const isOffered = operator.includes(key) && !LOCAL_SETTINGS.includes(key);
  return isOffered ? substitution({ variable: key, fallback: fallback ?? '' }) : undefined;
}

const substitution = ({ variable, fallback }: FromOperator): string => ['${', variable, ':-', fallback, '}'].join('');

/** Returns the networks that a service needs: one per group of services and servers that communicate. */
function networksOf({ name, shape, calls }: ServiceCode): readonly string[] {
  const { isIsolated, web, compose } = DESCRIPTIONS[name];
  const reads = (key: string): boolean => key in shape;
  if (isIsolated) return ['pool', ...(reads('REDIS_URL') ? ['exits'] : []), 'browser-web'];
  return [
    ...(compose?.options?.['ports'] === undefined ? [] : ['front']),
    'core',
    ...(reads('DATABASE_URL') || reads('NATS_URL') ? ['stores'] : []),
    ...(reads('REDIS_URL') ? ['cache'] : []),
    ...(calls.some(isIsolatedService) ? ['pool'] : []),
    ...(web === 'never' ? [] : ['web']),
  ];
}

const isIsolatedService = (name: ServiceName): boolean => DESCRIPTIONS[name].isIsolated === true;
