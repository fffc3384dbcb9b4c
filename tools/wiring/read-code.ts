import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { events, work } from '@tidemark/contracts';
import { type ConfigShape, parseListen, readConfig } from '@tidemark/service';
import { z } from 'zod';
import { messageOf } from '../../deploy/local/problem.ts';
import { LOCAL_SETTINGS, SERVICES, type ServiceName, serviceOfAddress } from '../../deploy/services.ts';
import { commonSettings, ownSettings, type Setting } from '../../deploy/settings.ts';
import { isRecord } from '../lints/ast.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A setting with its default. */
export interface SettingOfCode extends Setting {
  /** The service does not start without it. */
  readonly isRequired: boolean;
  /** Its default as a string; undefined: it has none. */
  readonly fallback: string | undefined;
}

/** What the code of a service states about its wiring: its settings and the events that it consumes. */
export interface ServiceCode {
  readonly name: ServiceName;
  /** Its own settings and those of every service, without those of tests and demonstrations. */
  readonly shape: ConfigShape;
  /** Its own settings, those of tests and demonstrations included, in the order of its `config.ts`. */
  readonly settings: readonly SettingOfCode[];
  /** Settings without which it does not start. */
  readonly required: readonly string[];
  /** Services that it calls. */
  readonly calls: readonly ServiceName[];
  /** Ports on which it listens by default, by setting. */
  readonly listens: Readonly<Record<string, number>>;
  /** JetStream consumers from which it takes messages, as `stream/durable`. */
  readonly consumers: readonly string[];
}

/** Returns every service. @throws Error if a folder, its text and its module disagree */
export async function readServices(): Promise<readonly ServiceCode[]> {
  const folders = readdirSync(join(ROOT, 'services')).filter((name) =>
    ['config.ts', 'main.ts'].every((file) => existsSync(join(ROOT, 'services', name, 'src', file))),
  );
  const undescribed = folders.filter((name) => !SERVICES.some((service) => service === name));
  if (undescribed.length > 0) throw new Error(`deploy/services.ts does not describe ${undescribed.join(', ')}`);
  const common = await exported('libs/service/src/config.ts', 'baseConfig');
  expectKeys('libs/service/src/config.ts', common, commonSettings());
  return Promise.all(
    SERVICES.map(async (name) => {
      const file = `services/${name}/src/config.ts`;
      const own = await exported(file, 'config');
      expectKeys(file, own, ownSettings(name));
      const offered = Object.entries({ ...own, ...common }).filter(([key]) => !LOCAL_SETTINGS.includes(key));
      const shape = Object.fromEntries(offered);
      return {
        name,
        shape,
        settings: settingsOf(own, ownSettings(name)),
        required: refused(shape, {}),
        calls: Object.keys(own)
          .filter((key) => key.endsWith('_ADDR'))
          .map(serviceOfAddress),
        listens: listensOf(shape),
        consumers: consumersOf(name),
      };
    }),
  );
}

/** The settings are read from the text too (`deploy/settings.ts`): both must agree. */
function expectKeys(file: string, shape: ConfigShape, settings: readonly Setting[]): void {
  const [module, text] = [Object.keys(shape), settings.map(({ key }) => key)].map((keys) => keys.join(', '));
  if (module !== text) throw new Error(`${file} has the settings ${module}; its text was read as ${text}`);
}

async function exported(file: string, name: string): Promise<ConfigShape> {
  const module: unknown = await import(pathToFileURL(join(ROOT, file)).href);
  const shape = isRecord(module) ? module[name] : undefined;
  if (!isShape(shape)) throw new Error(`${file} exports no ${name} of zod schemas`);
  return shape;
}

const isShape = (value: unknown): value is ConfigShape =>
  isRecord(value) && Object.values(value).every((schema) => isRecord(schema) && '_zod' in schema);

/** Returns the settings because of which a service refuses an environment; empty if it accepts it. */
export function refused(shape: ConfigShape, env: Readonly<Record<string, string>>): string[] {
  try {
    readConfig('it', shape, env);
    return [];
  } catch (error) {
    return [...messageOf(error).matchAll(/^ {2}(\w+): /gm)].map(([, key = '']) => key);
  }
}

function settingsOf(shape: ConfigShape, settings: readonly Setting[]): readonly SettingOfCode[] {
  const { properties = {} } = z.toJSONSchema(z.object(shape), { io: 'input', unrepresentable: 'any' });
  const required = refused(shape, {});
  return settings.map((setting) => {
    const schema = properties[setting.key];
    const fallback = isRecord(schema) ? schema['default'] : undefined;
    return {
      ...setting,
      isRequired: required.includes(setting.key),
      fallback: fallback === undefined ? undefined : String(fallback),
    };
  });
}

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
    ...new Set(consumed.map(({ subject }) => `EVENTS/${service}-${dashed(subject)}`)),
    ...done.map(([, { subject }]) => `WORK/workers-${dashed(subject)}`),
  ].sort();
}

function sourcesOf(service: string): string {
  const dir = join(ROOT, 'services', service, 'src');
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('generated'));
  return own.map((file) => readFileSync(join(dir, file), 'utf8').replace(/\s+/g, '')).join('\n');
}
