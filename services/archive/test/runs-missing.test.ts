import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { newRunOf, type RunServers, site, startRunServers, urlsOf } from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, servers.env));
}, 120_000);
afterAll(() => servers.close());

describe('a row whose event has not arrived', () => {
  it('is waited for after the end event of its run, and nothing is skipped meanwhile', async () => {
    const run = newRunOf();
    await servers.read(run, site(2));
    const late = await servers.read(run, site(1, 2), true);
    await servers.read(run, site(1, 3));
    await servers.finish(run);
    await until('the rows before the missing row to be listed', async () => (await servers.urls(run)).length === 2);
    expect((await servers.query(run)).isMore).toBe(true);
    await servers.publish(run, late);
    await servers.rested(run);
    expect(await servers.urls(run)).toEqual(urlsOf(site(4)));
    expect((await servers.query(run)).isMore).toBe(false);
  });

  it('is abandoned an hour after the end of its run, and the rows after it are listed', async () => {
    const run = newRunOf();
    await servers.read(run, site(1), true);
    await servers.read(run, site(2, 1));
    await servers.finish(run);
    await until('the row to be recorded as missing', async () => {
      const rows = await servers.sql(
        `UPDATE archive.runs SET stuck_since = now() - interval '61 minutes', due = now()
         WHERE id = $1 AND stuck_since IS NOT NULL
           AND 3 = (SELECT count(*) FROM archive.recorded_pages WHERE run_id = $1 AND is_final) RETURNING no`,
        [run.runId],
      );
      return rows.length === 1;
    });
    await servers.rested(run);
    expect(await servers.urls(run)).toEqual(urlsOf(site(2, 1)));
    expect((await servers.query(run)).isMore).toBe(false);
  });

  it('is abandoned alone after an hour in a running run; later rows are waited for, and for another hour after the end of the run', async () => {
    const run = newRunOf();
    await servers.read(run, site(1), true);
    await servers.read(run, site(1, 1));
    const late = await servers.read(run, site(1, 2), true);
    await servers.read(run, site(1, 3));
    const anHourLater = () =>
      until('the next row to be missing for an hour', async () => {
        await servers.urls(run);
        const rows = await servers.sql(
          "UPDATE archive.runs SET stuck_since = now() - interval '61 minutes' WHERE id = $1 AND stuck_since IS NOT NULL RETURNING no",
          [run.runId],
        );
        return rows.length === 1;
      });
    await anHourLater();
    await until('the rows after the missing row to be listed', async () => (await servers.urls(run)).length > 0);
    expect(await servers.urls(run)).toEqual(urlsOf(site(1, 1)));
    await anHourLater();
    await servers.finish(run);
    await until('the end of the run to be stored and the row to be recorded as missing again', async () => {
      const rows = await servers.sql(
        "SELECT FROM archive.runs WHERE id = $1 AND status = 'done' AND stuck_since > now() - interval '1 minute'",
        [run.runId],
      );
      return rows.length === 1;
    });
    await servers.publish(run, late);
    await servers.rested(run);
    expect(await servers.urls(run)).toEqual(urlsOf(site(3, 1)));
  });
});
