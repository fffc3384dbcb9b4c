import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The smallest one that a client accepts is sent. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface ConsoleFile {
  readonly contentType: string;
  readonly hash: string;
  /** The name contains a hash of the content, so that the file at this URL never changes. */
  readonly isImmutable: boolean;
  readonly bytes: Readonly<Partial<Record<Encoding, Buffer>>> & { readonly identity: Buffer };
}

/** Files by path, such as `/index.html`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;
/** All files are kept in memory. */
const MAX_BYTES = 32 * 1_048_576;

/** Reads the built console. @throws Error if the folder has no console, or is too large */
export function readConsole(dir: string): ConsoleFiles {
  if (!existsSync(join(dir, 'index.html')))
    throw new Error(`CONSOLE_DIR: ${dir} has no index.html; build the console with vite build services/console`);
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  const files = new Map<string, ConsoleFile>();
  let total = 0;
  for (const name of names) {
    const contentType = TYPES[extname(name)];
    if (contentType === undefined || !statSync(join(dir, name)).isFile()) continue;
    const file = readConsoleFile(join(dir, name), contentType, name.startsWith('assets/'));
    total += Object.values(file.bytes).reduce((sum, bytes) => sum + bytes.byteLength, 0);
    if (total > MAX_BYTES) throw new Error(`CONSOLE_DIR: ${dir} has more than ${MAX_BYTES} bytes of files`);
    files.set(`/${name}`, file);
  }
  return files;
}

function readConsoleFile(path: string, contentType: string, isImmutable: boolean): ConsoleFile {
  const identity = readFileSync(path);
  const compressed = Object.entries(SUFFIXES).flatMap(([encoding, suffix]) =>
    existsSync(path + suffix) ? [[encoding, readFileSync(path + suffix)] as const] : [],
  );
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return { contentType, hash, isImmutable, bytes: { ...Object.fromEntries(compressed), identity } };
}
