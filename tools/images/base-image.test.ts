import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { at, record, yamlReader } from '../chart/manifests.ts';

const ROOT = join(import.meta.dirname, '../..');
const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
const [compose] = yamlReader()(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'));
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** The argument that names the base image. */
const BASE = ['$', '{NODE}'].join('');

const check = (release: string, image: string) => {
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'deploy/check-base-image.sh'), release, image], {
    encoding: 'utf8',
  });
  return { isAccepted: status === 0, stderr };
};

describe('the base image of deploy/Dockerfile', () => {
  it.each([
    'node:24-slim',
    'node@sha256:abc',
    `node:24-slim@${DIGEST.slice(0, -1)}`,
    `node:24-slim@${DIGEST}0`,
    `node:24-slim@${DIGEST.replace('sha256', 'sha512')}`,
    `@${DIGEST}`,
    '',
  ])('is refused in a release build as "%s", with what is expected', (image) => {
    expect(check('yes', image)).toMatchObject({
      isAccepted: false,
      stderr: expect.stringContaining('--build-arg NODE=node:24-slim@sha256:'),
    });
  });

  it('is accepted in a release build with a digest, with or without a tag, and in other builds without one', () => {
    for (const image of [`node:24-slim@${DIGEST}`, `registry.example:5000/mirror/node@${DIGEST}`])
      expect([image, check('yes', image).isAccepted]).toEqual([image, true]);
    expect(check('no', 'node:24-slim').isAccepted).toBe(true);
    expect(check('true', `node:24-slim@${DIGEST}`)).toMatchObject({ isAccepted: false });
  });

  it('is checked in the stage that all stages are built on or copy from, and is the only image that they are built on', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    const [first = ''] = stages;
    expect(first).toMatch(/^\$\{NODE\} AS pnpm\nARG NODE\nARG RELEASE=no\n/);
    expect(first).toMatch(/^RUN sh \/opt\/check-base-image\.sh "\$\{RELEASE\}" "\$\{NODE\}"$/m);
    const names = stages.map((stage) => /^\S+ AS (\S+)/.exec(stage)?.[1]);
    for (const [place, stage] of stages.entries()) {
      const image = /^\S+/.exec(stage)?.[0] ?? '';
      const copied = /^COPY --from=(\S+)/m.exec(stage)?.[1];
      const isChecked = place === 0 || names.slice(0, place).includes(image);
      expect([stage.split('\n')[0], isChecked || (image === BASE && names.includes(copied))]).toEqual([
        stage.split('\n')[0],
        true,
      ]);
    }
  });

  it('is an argument of every build of compose.yaml', () => {
    const builds = Object.values(record(at(compose, 'services')))
      .map((service) => at(service, 'build', 'args'))
      .filter((args) => args !== undefined);
    expect(builds.length).toBeGreaterThan(10);
    for (const args of builds)
      expect(record(args)).toMatchObject({
        NODE: expect.stringMatching(/^\$\{NODE_IMAGE:-/),
        RELEASE: expect.stringMatching(/^\$\{TIDEMARK_RELEASE:-no\}$/),
      });
  });

  it('has a digest by default, the same in deploy/Dockerfile and compose.yaml, like each image that compose.yaml downloads', () => {
    const byDefault = /^ARG NODE=(\S+)$/m.exec(dockerfile)?.[1] ?? '';
    expect(check('yes', byDefault)).toEqual({ isAccepted: true, stderr: '' });
    const services = Object.values(record(at(compose, 'services')));
    const bases = services.map((service) => at(service, 'build', 'args', 'NODE')).filter((base) => base !== undefined);
    expect(new Set(bases)).toEqual(new Set([`${['$', '{NODE_IMAGE:-'].join('')}${byDefault}}`]));
    const downloaded = services
      .filter((service) => at(service, 'build') === undefined)
      .map((service) => at(service, 'image'));
    const images = downloaded.filter((image) => !String(image).startsWith('tidemark/'));
    expect(images).toHaveLength(3);
    for (const image of images) expect(image).toMatch(/^\$\{[A-Z]+_IMAGE:-[^@]+@sha256:[0-9a-f]{64}\}$/);
  });
});
