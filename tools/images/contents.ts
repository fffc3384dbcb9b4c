import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildConsole } from '../../deploy/local/console-build.ts';
import { browserFontsFolder, unpackBrowserFonts } from '../../deploy/local/parts/browser-fonts.ts';
import { chromiumPath } from '../../deploy/local/parts/chromium.ts';
import { debianPackages } from '../../deploy/local/parts/debian-packages.ts';
import { serverPrograms } from '../../deploy/local/parts/servers.ts';
import { ROOT, TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import { SERVICES, type ServiceName } from '../../deploy/services.ts';
import { currentVersion } from '../release/version-files.ts';
import { runCommand } from '../run-command.ts';

/** Debian packages of the base: the C library and what Node needs of a system. There is no shell and no package manager. */
const BASE_PACKAGES = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase', 'tzdata'];
/** Libraries that Chromium needs besides its own. */
const BROWSER_PACKAGES = ['libexpat1', 'libnspr4', 'libnss3', 'libuuid1'];

/** Programs that the start of one machine calls: a shell, setpriv, cp. */
const MACHINE_PACKAGES = [
  'coreutils',
  'dash',
  'libacl1',
  'libattr1',
  'libcap-ng0',
  'libcrypt1',
  'libgmp10',
  'libpcre2-8-0',
  'libselinux1',
  'util-linux',
];

const note = (text: string): void => console.log(`  ${text}`);

/** Writes the files of the base: Debian's C library, certificates, time zones, a user `node` with the id 1000. */
export async function writeBase(folder: string): Promise<void> {
  const packages = await debianPackages(TOOLS_DIR, BASE_PACKAGES, note);
  cpSync(packages, folder, { recursive: true, verbatimSymlinks: true });
  for (const unused of [
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'usr/share/lintian',
    'usr/sbin',
    'etc/kernel',
  ])
    rmSync(join(folder, unused), { recursive: true, force: true });
  for (const dir of ['etc/ssl/certs', 'tmp', 'app', 'blobs', 'data', 'usr/local/bin', 'proc', 'dev', 'sys', 'run'])
    mkdirSync(join(folder, dir), { recursive: true });
  writeFileSync(
    join(folder, 'etc/passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnode:x:1000:1000::/tmp:/sbin/nologin\n',
  );
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const certificates = globSync('usr/share/ca-certificates/mozilla/*.crt', { cwd: folder }).sort();
  writeFileSync(
    join(folder, 'etc/ssl/certs/ca-certificates.crt'),
    certificates.map((file) => readFileSync(join(folder, file), 'utf8')).join(''),
  );
  const [node] = globSync('node_modules/.pnpm/node-linux-*/node_modules/node-linux-*/bin/node', { cwd: ROOT });
  if (node === undefined) throw new Error('there is no packaged Node; expected sh deploy/bootstrap.sh to have run');
  cpSync(join(ROOT, node), join(folder, 'usr/local/bin/node'));
}

/** Packages that no process of a service loads: peers and tools of those it does. */
const UNUSED_PACKAGES =
  /^node_modules\/\.pnpm\/(@types\+|typescript@|node-linux-|prisma@|@electric-sql|@prisma\+(engines|studio-core|dev|query-plan-executor|streams))/;

/** Files of packages that no process reads: types, maps, documents, tests, and Prisma's compilers for other databases. */
const UNUSED_FILES = [
  /\.(d\.[mc]?ts|map|md|markdown|flow)$/,
  /\.test\.[jt]s$/,
  /\/node_modules\/(@[^/]+\/)?[^/]+\/(tests?|docs|examples?|__tests__)\//,
  /\/@prisma\/client\/runtime\/.*(mysql|sqlite|sqlserver|cockroachdb|compiler-edge|_small_bg)/,
  /^(src|test)\/.*\.ts$/,
  /\/@opentelemetry\/[^/]+\/build\/(esm|esnext)\//,
  /\/zod\/src\//,
];

/** Writes the files of one service: its compiled code and the packages that it needs. @throws Error if pnpm fails */
export async function writeService(service: ServiceName, folder: string): Promise<void> {
  const app = join(folder, 'app');
  mkdirSync(folder, { recursive: true });
  const pnpm = join(ROOT, 'node_modules/.bin/pnpm');
  // Copies: the change time of a hard link changes when another installation links its file, which tar reports.
  const args = [
    '--filter',
    `@tidemark/${service}`,
    '--prod',
    '--legacy',
    '--config.package-import-method=copy',
    'deploy',
    app,
    '--loglevel=error',
  ];
  const { ok, output } = await runCommand([pnpm, ...args], ROOT, {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
  });
  if (!ok) throw new Error(`the packages of ${service} could not be collected: ${output.slice(-500)}`);
  prune(app);
  // diff reads the version of the release two folders above its own, as in the repository.
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ name: 'tidemark', version: currentVersion(ROOT) })}\n`,
  );
  if (service === 'gateway') cpSync(await buildConsole(), join(app, 'console'), { recursive: true });
}

function prune(app: string): void {
  for (const name of readdirSync(join(app, 'node_modules/.pnpm')))
    if (UNUSED_PACKAGES.test(`node_modules/.pnpm/${name}`))
      rmSync(join(app, 'node_modules/.pnpm', name), { recursive: true });
  for (const entry of readdirSync(app, { recursive: true, withFileTypes: true })) {
    const file = relative(app, join(entry.parentPath, entry.name));
    if (entry.isFile() && UNUSED_FILES.some((unused) => unused.test(file)) && !/licen[cs]e/i.test(entry.name))
      rmSync(join(app, file), { force: true }); // a folder that a link names is listed twice
  }
  // State of pnpm, with times and paths of this machine.
  for (const file of [
    'node_modules/.modules.yaml',
    'node_modules/.pnpm-workspace-state-v1.json',
    'node_modules/.pnpm/lock.yaml',
  ])
    rmSync(join(app, file), { force: true });
}

/** Writes a headless Chromium with its libraries and fonts, for browser-pool. */
export async function writeBrowser(folder: string): Promise<void> {
  const packages = await debianPackages(TOOLS_DIR, BROWSER_PACKAGES, note);
  cpSync(packages, folder, { recursive: true, verbatimSymlinks: true });
  rmSync(join(folder, 'usr/share/doc'), { recursive: true, force: true });
  await unpackBrowserFonts(TOOLS_DIR, note);
  const launcher = await chromiumPath(TOOLS_DIR, note);
  cpSync(join(launcher, '..'), join(folder, 'opt/chromium'), { recursive: true, verbatimSymlinks: true });
  relocate(join(folder, 'opt/chromium'));
  if (existsSync(browserFontsFolder(TOOLS_DIR)))
    cpSync(browserFontsFolder(TOOLS_DIR), join(folder, 'usr/share/fonts/tidemark'), {
      recursive: true,
      verbatimSymlinks: true,
    });
}

/** Writes the programs of a system that the start of one machine calls. */
export async function writeMachine(folder: string): Promise<void> {
  const packages = await debianPackages(TOOLS_DIR, MACHINE_PACKAGES, note);
  cpSync(packages, folder, { recursive: true, verbatimSymlinks: true });
  for (const unused of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/bash-completion'])
    rmSync(join(folder, unused), { recursive: true, force: true });
  if (!existsSync(join(folder, 'bin/sh'))) cpSync(join(folder, 'bin/dash'), join(folder, 'bin/sh'));
}

/** Packages that only checks, tests and builds use. */
const BUILD_ONLY = [
  '@biomejs+*',
  '@bufbuild+buf*',
  '@swc+*',
  '@squawk-cli+*',
  '@typescript+*',
  'typescript@*',
  '@pnpm+exe*',
  'pnpm@*',
  'playwright-core@*',
  'jest*@*',
  '@jest+*',
  '@electric-sql*',
  'lucide-react@*',
  '@rolldown*',
  'rolldown*',
  'lightningcss*',
  'vite@*',
  '@esbuild+*',
  'esbuild@*',
  '@redocly+*',
  'dprint-node*',
  'axe-core@*',
  'caniuse-lite@*',
  '@tanstack+*',
  'elkjs@*',
  'react-dom@*',
  '@octokit+*',
];

/** What an installation contains of the repository. */
const REPOSITORY = [
  'deploy',
  'libs',
  'services',
  'packages',
  'tools',
  'proto',
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'README.md',
  'CHANGELOG.md',
  'UPGRADING.md',
  'SECURITY.md',
  'docs',
];

/**
 * Writes an installation that starts without npm, a network and other programs: the sources, their packages, PostgreSQL, NATS, Redis, Chromium and the built
 * console. `tidemark` starts it.
 */
export async function writeInstallation(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await serverPrograms(TOOLS_DIR, ['nats-server', 'redis-server'], note);
  await chromiumPath(TOOLS_DIR, note);
  await unpackBrowserFonts(TOOLS_DIR, note);
  await buildConsole();
  const exclude = [
    ...BUILD_ONLY.map((name) => `--exclude=node_modules/.pnpm/${name}`),
    '--exclude=*.tsbuildinfo',
    '--exclude=node_modules/.cache',
    ...SERVICES.map((name) => `--exclude=services/${name}/dist`),
    '--exclude=libs/*/dist',
    '--exclude=*.long.ts',
    '--exclude=services/*/test',
    '--exclude=libs/*/test',
    '--exclude=packages/*/test',
    '--exclude=.tidemark/tools/helm*',
    '--exclude=.tidemark/tools/*pnpm*',
    '--exclude=.tidemark/tools/npm',
    '--exclude=.tidemark/tools/releases',
    '--exclude=.tidemark/tools/postgres-template*',
    '--exclude=.tidemark/tools/compile-cache',
    '--exclude=.tidemark/tools/manifest-types*',
    '--exclude=.tidemark/tools/images',
  ];
  const { ok, output } = await runCommand(
    [
      'sh',
      '-c',
      `tar --create --file=- "$@" | tar --extract --directory "${folder}"`,
      'sh',
      ...exclude,
      ...REPOSITORY,
      'node_modules',
      '.tidemark/tools',
    ],
    ROOT,
  );
  if (!ok) throw new Error(`the files of the installation could not be copied: ${output.slice(-500)}`);
  for (const launcher of globSync('.tidemark/tools/chromium-*/launch', { cwd: folder }))
    relocate(join(folder, launcher, '..'));
  writeFileSync(join(folder, 'tidemark'), LAUNCHER, { mode: 0o755 });
}

/** Makes the launcher of an unpacked Chromium independent of the folder in which it was unpacked. */
function relocate(dir: string): void {
  writeFileSync(join(dir, 'launch'), CHROMIUM_LAUNCHER, { mode: 0o755 });
  writeFileSync(join(dir, 'fonts.conf'), FONTS);
}

/** Folders are relative to the file: beside the browser, of the system, and those that an installation brings. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir prefix="relative">../debs/fonts-noto-cjk+fonts-noto-color-emoji/usr/share/fonts</dir>
  <cachedir>/tmp/tidemark-fonts</cachedir>
</fontconfig>
`;

const CHROMIUM_LAUNCHER = `#!/bin/sh
# Ends the browser with the process that started it, also after a kill -9 of that one.
here=$(cd "$(dirname "$0")" && pwd)
export FONTCONFIG_FILE="$here/fonts.conf"
exec setpriv --pdeathsig KILL -- "$here/chromium" "$@"
`;

const LAUNCHER = `#!/bin/sh
# Starts Tidemark without npm. Data: TIDEMARK_DATA_DIR, by default ./data. \`tidemark admin …\` runs tidemark-admin.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export TIDEMARK_DATA_DIR="\${TIDEMARK_DATA_DIR:-$here/data}" PATH="$here/node_modules/.bin:$PATH"
if [ "\${1:-}" = admin ]; then
  shift
  exec node --conditions=tidemark-source --disable-warning=ExperimentalWarning "$here/deploy/admin/main.ts" "$@"
fi
exec node --conditions=tidemark-source "$here/deploy/local/start.ts" "$@"
`;
