import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import {
  callerIn,
  newWorkspace,
  type RunningService,
  startService,
  startTestServers,
  type TestServers,
  withUnimplemented,
} from '@tidemark/testkit';
import { drawPage, fillRect, LINE, lineRange, toJpeg } from '../src/pictures/fixtures/drawn-page.ts';
import { diff } from '../src/service.ts';

const workspaceId = newWorkspace();
const page = drawPage(lineRange(1, 14));
const changed = drawPage([...lineRange(1, 5), 500, ...lineRange(6, 14)]);
fillRect(changed, { x: 200, y: 12 * LINE, width: 40, height: LINE }, [220, 0, 0]);
/** Screenshots by run id. */
const screenshots: Readonly<Record<string, Buffer>> = {
  run_one: toJpeg(page),
  run_two: toJpeg(changed),
  run_broken: Buffer.from('not a picture'),
};

let servers: TestServers;
let service: RunningService;

beforeAll(async () => {
  servers = await startTestServers();
  const archive = handle(Archive.readAttachment, async ({ jobId }, ctx) => {
    const body = callerOf(ctx).workspaceId === workspaceId ? screenshots[jobId] : undefined;
    if (body === undefined) throw new AppError('not_found', 'screenshot not found');
    return { body };
  });
  const peers = defineService({
    name: 'peers',
    config: {},
    async start(app) {
      app.serve(Archive, withUnimplemented(Archive, [archive]));
    },
  });
  const { address } = servers.own(await startService(peers, {}));
  const addresses = { ARCHIVE_ADDR: address, CRAWL_ADDR: address, SCRAPE_ADDR: address };
  service = servers.own(await startService(diff, { ...servers.env, ...addresses }));
});
afterAll(() => servers.close());

const readings = (beforeRunId: string, afterRunId: string) => ({
  projectId: 'prj_mine',
  url: 'https://site.test/',
  beforeRunId,
  beforePageId: 'cap_before',
  afterRunId,
  afterPageId: 'cap_after',
});
const compare = (before: string, after: string, { draw = false, workspace = workspaceId } = {}) =>
  service.peer.call(Rpc.comparePictures, { readings: readings(before, after), draw }, callerIn(workspace), {
    deadlineMs: 30_000,
  });

describe('DiffService.ComparePictures', () => {
  it('returns the changed share and areas', async () => {
    const delta = await compare('run_one', 'run_two');
    expect(delta).toMatchObject({
      before: { width: page.width, height: page.height },
      after: { width: changed.width, height: changed.height },
      truncated: false,
      degraded: undefined,
    });
    const middles = delta.areas.map(({ y, height }) => Math.floor((y + height / 2) / LINE));
    expect(new Set(middles)).toEqual(new Set([5, 12]));
    expect(delta.changedShare).toBeGreaterThan(0);
    expect(delta.drawn).toHaveLength(0);
  });

  it('draws the later screenshot as PNG on request', async () => {
    const { drawn } = await compare('run_one', 'run_two', { draw: true });
    expect(drawn.subarray(1, 4).toString()).toBe('PNG');
    expect([drawn.readUInt32BE(16), drawn.readUInt32BE(20)]).toEqual([changed.width, changed.height]);
  });

  it('finds no change between equal screenshots', async () => {
    expect(await compare('run_one', 'run_one')).toMatchObject({ changedShare: 0, areas: [], degraded: undefined });
  });

  it.each([
    ['earlier', 'run_none', 'run_two'],
    ['later', 'run_one', 'run_none'],
  ])(
    'returns not_found that names the %s reading without a screenshot and the setting that stores one',
    async (which, a, b) => {
      await expect(compare(a, b)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(new RegExp(`the ${which} reading \\(of run_none\\).*config\\.screenshot`)),
      });
    },
  );

  it('reports unreadable for an undecodable screenshot and rejects a drawing of it', async () => {
    const delta = await compare('run_one', 'run_broken');
    expect(delta).toMatchObject({ degraded: 'unreadable', areas: [] });
    expect(delta.changedShare).toBeUndefined();
    await expect(compare('run_one', 'run_broken', { draw: true })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('returns not_found for other workspaces and restricted keys', async () => {
    await expect(compare('run_one', 'run_two', { workspace: newWorkspace() })).rejects.toMatchObject({
      code: 'not_found',
    });
    const restricted = callerIn(workspaceId, { projects: ['prj_other'] });
    const request = { readings: readings('run_one', 'run_two'), draw: false };
    await expect(service.peer.call(Rpc.comparePictures, request, restricted)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
