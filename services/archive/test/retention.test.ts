import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFolderStates } from '@tidemark/blobs/folder-states';
import type { Verdict } from '@tidemark/contracts/page/v1/page';
import { openPool } from '@tidemark/service';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { SWEEPING } from './discard-servers.ts';
import {
  keyOf,
  type MadePage,
  newProject,
  newRunOf,
  type ProjectRun,
  type RunServers,
  startRunServers,
} from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, { ...servers.env, ...SWEEPING }));
}, 120_000);
afterAll(() => servers.close());

const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const page = (name: string, day: number, verdict: Verdict = 'ok'): MadePage => ({
  url: `https://example.com/${name}`,
  markdown: `${name} on day ${day}`,
  row: { verdict, crawledAt: at(day) },
});
const rowsOf = ({ runId }: ProjectRun) =>
  servers.sql<{ url: string }>('SELECT url FROM archive.pages WHERE job_id = $1 ORDER BY url', [runId]);
const namesOf = async (run: ProjectRun) => (await rowsOf(run)).map(({ url }) => url.split('/').at(-1));
/** Waits until a discarded run has been processed to its end. */
const processed = (run: ProjectRun) =>
  until('the next check of the discarded run', async () => {
    const rows = await servers.sql(
      'SELECT FROM archive.discarded_runs WHERE job_id = $1 AND emptied_at IS NOT NULL AND (due IS NULL OR due > now())',
      [run.runId],
    );
    return rows.length === 1;
  });
const listedOf = ({ runId }: ProjectRun) =>
  servers.sql('SELECT FROM archive.run_pages p JOIN archive.runs r ON r.no = p.run_no WHERE r.id = $1', [runId]);

describe('a discarded run', () => {
  it('leaves only the newest good reading of the pages that the newest full run could not read', async () => {
    const project = newProject();
    const [old, newer, newest] = [newRunOf(project), newRunOf(project), newRunOf(project)];
    await servers.whole(old, [
      page('read', 1),
      page('refused', 1),
      page('once', 1),
      page('never', 1, 'blocked'),
      page('left', 1),
    ]);
    await servers.whole(newer, [page('read', 2), page('refused', 2), page('never', 2, 'blocked')]);
    const [, refused] = await servers.whole(newest, [
      page('read', 3),
      page('refused', 3, 'blocked'),
      page('once', 3, 'blocked'),
      page('never', 3, 'blocked'),
    ]);
    expect(refused?.verdict).toBe('blocked');
    await servers.discard(old, newest.runId);
    await processed(old);
    expect(await namesOf(old)).toEqual(['once']);
    await servers.discard(newer, newest.runId);
    await processed(newer);
    expect(await namesOf(newer)).toEqual(['refused']);
    expect(await namesOf(newest)).toEqual(['never', 'once', 'read', 'refused']);

    const kept = await servers.sql<{ page_id: string }>(
      'SELECT page_id FROM archive.run_pages WHERE url_key = $1 AND verdict = $2',
      [keyOf('https://example.com/once'), 'ok'],
    );
    expect(kept).toHaveLength(1);
    await expect(servers.query(old)).rejects.toMatchObject({ code: 'not_found' });
    expect((await servers.query(newest)).total).toBe(4);
  });

  it('loses the kept reading once a newer full run could read the page and another run is deleted', async () => {
    const project = newProject();
    const [first, second, third] = [newRunOf(project), newRunOf(project), newRunOf(project)];
    const [body] = await servers.whole(first, [page('a', 1), page('b', 1)]);
    await servers.whole(second, [page('a', 2, 'blocked'), page('b', 2, 'blocked')]);
    await servers.discard(first, second.runId);
    await processed(first);
    expect(await namesOf(first)).toEqual(['a', 'b']);
    await servers.whole(third, [page('a', 3), page('b', 3, 'blocked')]);
    await servers.discard(second, third.runId);
    await until('the deletion of body a', async () => (await namesOf(first)).length === 1);
    expect(await namesOf(first)).toEqual(['b']);
    const name = body?.content?.sha256 ?? '';
    const waiting = await servers.sql('SELECT FROM archive.blob_candidates WHERE sha256 = $1', [name]);
    expect(waiting).toHaveLength(1);
    const states = openFolderStates(servers.blobUrl);
    expect(states.stateOf(name)).toBe('stored');
    states.close();
  });

  it('of a deleted project leaves nothing, nor does what was left of others before', async () => {
    const project = newProject();
    const [first, second] = [newRunOf(project), newRunOf(project)];
    await servers.whole(first, [page('a', 1)]);
    await servers.whole(second, [page('a', 2, 'blocked')]);
    await servers.discard(first, second.runId);
    await processed(first);
    expect(await namesOf(first)).toEqual(['a']);
    await servers.discard(second);
    for (const run of [first, second]) {
      await until('the deletion of its pages', async () => (await rowsOf(run)).length === 0);
      await until('the deletion of its list', async () => (await listedOf(run)).length === 0);
    }
    const left = await servers.sql('SELECT FROM archive.runs WHERE project_id = $1', [project.projectId]);
    expect(left).toEqual([]);
  });

  it('waits until the newest full run is listed: before that it is unknown which pages it could not read', async () => {
    const project = newProject();
    const [old, newest] = [newRunOf(project), newRunOf(project)];
    await servers.whole(old, [page('a', 1), page('b', 1)]);
    const late = await servers.read(newest, [page('a', 2, 'blocked'), page('b', 2)], true);
    await servers.finish(newest);
    await servers.discard(old, newest.runId);
    await until('the run to wait', async () => {
      const rows = await servers.sql(
        "SELECT FROM archive.discarded_runs WHERE job_id = $1 AND due > now() + interval '30 seconds'",
        [old.runId],
      );
      return rows.length === 1;
    });
    expect(await namesOf(old)).toEqual(['a', 'b']);
    await servers.publish(newest, late);
    await servers.rested(newest);
    await servers.sql('UPDATE archive.discarded_runs SET due = now() WHERE job_id = $1', [old.runId]);
    await processed(old);
    expect(await namesOf(old)).toEqual(['a']);
  });

  it('whose end event arrives after it was discarded is not listed again', async () => {
    const run = newRunOf();
    await servers.read(run, [page('a', 1)]);
    await servers.discard(run);
    await processed(run);
    await servers.finish(run);
    const other = newRunOf();
    await servers.whole(other, [page('b', 1)]);
    expect(await servers.sql('SELECT FROM archive.runs WHERE id = $1', [run.runId])).toEqual([]);
    await expect(servers.query(run)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a run whose event is being stored when it is discarded', () => {
  it('is not listed', async () => {
    const run = newRunOf();
    const pool = openPool(servers.database.url, 'archive', 1);
    const event = await pool.connect();
    await event.query('BEGIN');
    await event.query('INSERT INTO runs (id, workspace_id, project_id) VALUES ($1, $2, $3)', [
      run.runId,
      run.workspaceId,
      run.projectId,
    ]);
    await servers.discard(run);
    await until('the discard to wait for the event', async () => {
      const rows = await servers.sql(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%discards%'",
      );
      return rows.length === 1;
    });
    await event.query('COMMIT');
    event.release();
    await pool.end();
    await processed(run);
    expect(await servers.sql('SELECT FROM archive.runs WHERE id = $1', [run.runId])).toEqual([]);
    await expect(servers.query(run)).rejects.toMatchObject({ code: 'not_found' });
  });
});
