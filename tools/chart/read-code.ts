import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { events, work } from '@tidemark/contracts';
import { type ConfigShape, parseListen, readConfig } from '@tidemark/service';
import { messageOf } from '../../deploy/local/problem.ts';
import { isRecord } from '../lints/ast.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Settings of tests and demonstrations, which neither the chart nor compose offers: by them billing sells without moving money. */
const LOCAL_ONLY: readonly string[] = ['RAZORPAY_URL'];

/** The settings that a service reads and the events it consumes, from its code. The chart is checked against it. */
export interface ServiceCode {
  readonly name: string;
  /** Its own settings and those of every service, without those of tests and demonstrations. */
  readonly shape: ConfigShape;
  /** Settings it does not start without. */
  readonly required: readonly string[];
  /** Ports it listens on by default, by setting. */
  readonly listens: Readonly<Record<string, number>>;
  /** JetStream consumers it takes from, as `stream/durable`. */
  readonly consumers: readonly string[];
}

/** Every service there is: a folder under services/ that has a configuration and can be started. */
export async function readServices(): Promise<ServiceCode[]> {
  const base = await exported('libs/service/src/config.ts', 'baseConfig');
  const names = readdirSync(join(ROOT, 'services')).filter((name) =>
    ['config.ts', 'main.ts'].every((file) => existsSync(join(ROOT, 'services', name, 'src', file))),
  );
  return Promise.all(
    names.map(async (name) => {
      const own = await exported(`services/${name}/src/config.ts`, 'config');
      const offered = Object.entries({ ...own, ...base }).filter(([key]) => !LOCAL_ONLY.includes(key));
      const shape = Object.fromEntries(offered);
      return { name, shape, required: requiredIn(shape), listens: listensOf(shape), consumers: consumersOf(name) };
    }),
  );
}

async function exported(file: string, name: string): Promise<ConfigShape> {
  const module: unknown = await import(pathToFileURL(join(ROOT, file)).href);
  const shape = isRecord(module) ? module[name] : undefined;
  if (!isShape(shape)) throw new Error(`${file} exports no ${name} of zod schemas`);
  return shape;
}

const isShape = (value: unknown): value is ConfigShape =>
  isRecord(value) && Object.values(value).every((schema) => isRecord(schema) && '_zod' in schema);

/** The settings a service refuses this environment for; empty where it takes it. */
export function refused(shape: ConfigShape, env: Readonly<Record<string, string>>): string[] {
  try {
    readConfig('it', shape, env);
    return [];
  } catch (error) {
    return [...messageOf(error).matchAll(/^ {2}(\w+): /gm)].map(([, key = '']) => key);
  }
}

const requiredIn = (shape: ConfigShape): string[] => refused(shape, {});

function listensOf(shape: ConfigShape): Record<string, number> {
  const listens = Object.entries(shape).filter(([key]) => /(^|_)LISTEN$/.test(key));
  return Object.fromEntries(
    listens.map(([key, schema]) => {
      const listen = readConfig('it', { [key]: schema }, {})[key];
      return [key, parseListen(String(listen)).port];
    }),
  );
}

/** Named as libs/service/src/bus.ts names them. */
function consumersOf(service: string): string[] {
  const dashed = (subject: string): string => subject.replaceAll('.', '-');
  const consumed = Object.values(events).filter(({ consumers }) => consumers.includes(service));
  const text = sourcesOf(service);
  const done = Object.entries(work).filter(([name]) => text.includes(`.work(work.${name}`));
  return [
    ...consumed.map(({ subject }) => `EVENTS/${service}-${dashed(subject)}`),
    ...done.map(([, { subject }]) => `WORK/workers-${dashed(subject)}`),
  ].sort();
}

function sourcesOf(service: string): string {
  const dir = join(ROOT, 'services', service, 'src');
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('generated'));
  return own.map((file) => readFileSync(join(dir, file), 'utf8').replace(/\s+/g, '')).join('\n');
}

/** Returns the lines of helm/tidemark/values.yaml that a service without any needs, as far as its code shows. */
export function suggestedValues({ name, shape, listens, consumers }: ServiceCode): string {
  const isSecret = (key: string): boolean => /_URL$|_KEYS?$|_EXITS$|PASSWORD|TOKEN$/.test(key) && key !== 'PUBLIC_URL';
  const own = Object.keys(shape).filter((key) => !/^(GRPC_|HTTP_LISTEN$|LOG_LEVEL$|FLEET_KEYS$)/.test(key));
  const calls = own.filter((key) => key.endsWith('_ADDR')).map(serviceOf);
  const secrets = own.filter(isSecret);
  const more = own.filter((key) => !key.endsWith('_ADDR') && !isSecret(key) && !(key in listens));
  const ports = Object.entries(listens).filter(([key]) => own.includes(key));
  return [
    `  ${name}:`,
    ...(calls.length > 0 ? [`    calls: [${calls.join(', ')}]`] : []),
    ...(own.includes('TIDEMARK_EGRESS_ALLOW') ? ['    web: true   # where it fetches pages itself'] : []),
    ...(secrets.length > 0 ? [`    secrets: { ${secrets.map((key) => `${key}: {}`).join(', ')} }`] : []),
    ...(ports.length > 0 ? [`    listens: { ${ports.map(([key, port]) => `${key}: ${port}`).join(', ')} }`] : []),
    ...(more.length > 0 ? ['    config:', ...more.map((key) => `      ${key}: null`)] : []),
    ...(consumers.length > 0 ? ['    autoscaling:', '      enabled: true', '      lag:'] : []),
    ...consumers.map((one) => {
      const [stream, consumer] = one.split('/');
      return `        - { stream: ${stream}, consumer: ${consumer}, threshold: 100 }`;
    }),
  ].join('\n');
}

/** BROWSER_POOL_ADDR is where browser-pool is. */
export const serviceOf = (key: string): string =>
  key
    .replace(/_ADDR$/, '')
    .toLowerCase()
    .replaceAll('_', '-');
