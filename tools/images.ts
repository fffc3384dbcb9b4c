// `npm run images`: builds the images of the services, the image for one machine and the offline bundle, without a daemon.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../deploy/local/problem.ts';
import { ROOT, TOOLS_DIR } from '../deploy/local/stack-context.ts';
import { buildImages, IMAGE_NAMES } from './images/build-images.ts';
import { writeInstallation } from './images/contents.ts';
import { currentVersion } from './release/version-files.ts';
import { runCommand } from './run-command.ts';

const HELP = `npm run images -- [names] [--out FOLDER] [--bundle FILE]

Builds ${IMAGE_NAMES.join(', ')} (default: all) into an OCI layout, which skopeo, podman and buildah read:
  skopeo copy oci:.tidemark/images:tidemark/gateway:${currentVersion(ROOT)} docker://registry.example/tidemark/gateway:${currentVersion(ROOT)}
digests.yaml in the folder are values of the chart. Needs tar, apt-get and dpkg (for Debian's C library), and no root.
  --bundle FILE  writes one archive instead, with which a machine without a network starts:
                 tar -xf FILE && ./tidemark/tidemark`;

async function writeBundle(file: string, say: (line: string) => void): Promise<void> {
  mkdirSync(join(TOOLS_DIR, 'images'), { recursive: true });
  mkdirSync(dirname(file), { recursive: true });
  const work = mkdtempSync(join(TOOLS_DIR, 'images/.bundle-'));
  try {
    await writeInstallation(join(work, 'tidemark'));
    const { ok, output } = await runCommand(
      ['tar', '--create', '--gzip', '--sort=name', '--file', file, '--directory', work, 'tidemark'],
      ROOT,
    );
    if (!ok) throw new Error(`tar failed: ${output}`);
    say(`${file}: ${(statSync(file).size / 1_000_000).toFixed(0)} MB`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const options = { out: { type: 'string' }, bundle: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const say = (line: string): void => console.log(line);
  const names = IMAGE_NAMES.filter((name) => positionals.length === 0 || positionals.includes(name));
  const unknown = positionals.filter((name) => !IMAGE_NAMES.some((one) => one === name));
  if (values.help === true || unknown.length > 0) {
    say(unknown.length > 0 ? `no such image: ${unknown.join(', ')}\n\n${HELP}` : HELP);
    process.exitCode = unknown.length > 0 ? 1 : 0;
  } else if (values.bundle !== undefined) await writeBundle(resolve(values.bundle), say);
  else await buildImages({ names, layout: resolve(values.out ?? `${ROOT}/.tidemark/images`), say });
}

await main().catch((error: unknown) => {
  console.error(`images: ${messageOf(error)}`);
  process.exitCode = 1;
});
