import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { layRunGround, newRunOf, type RunGround, site, urlsOf } from './run-ground.ts';

let ground: RunGround;
let service: RunningService;
beforeAll(async () => {
  ground = await layRunGround(() => service.peer);
  service = ground.own(await startService(archive, ground.env));
}, 120_000);
afterAll(() => ground.close());

describe('a row that is still on its way', () => {
  it('is waited for when the end of its run has been told, and nothing is skipped meanwhile', async () => {
    const run = newRunOf();
    await ground.read(run, site(2));
    const late = await ground.read(run, site(1, 2), true);
    await ground.read(run, site(1, 3));
    await ground.finish(run);
    await until('what comes before the missing row to be listed', async () => (await ground.urls(run)).length === 2);
    expect((await ground.query(run)).isMore).toBe(true);
    await ground.publish(run, late);
    await ground.rested(run);
    expect(await ground.urls(run)).toEqual(urlsOf(site(4)));
    expect((await ground.query(run)).isMore).toBe(false);
  });

  it('is given up an hour after the end of its run, and what comes behind is listed', async () => {
    const run = newRunOf();
    await ground.read(run, site(1), true);
    await ground.read(run, site(2, 1));
    await ground.finish(run);
    await until('the row to be missed', async () => {
      const rows = await ground.sql(
        `UPDATE archive.runs SET stuck_since = now() - interval '61 minutes', due = now()
         WHERE id = $1 AND stuck_since IS NOT NULL
           AND 3 = (SELECT count(*) FROM archive.recorded_pages WHERE run_id = $1 AND is_final) RETURNING no`,
        [run.runId],
      );
      return rows.length === 1;
    });
    await ground.rested(run);
    expect(await ground.urls(run)).toEqual(urlsOf(site(2, 1)));
    expect((await ground.query(run)).isMore).toBe(false);
  });

  it('is given up alone after an hour in a run that goes on; those behind it are waited for, and for another hour once it has ended', async () => {
    const run = newRunOf();
    await ground.read(run, site(1), true);
    await ground.read(run, site(1, 1));
    const late = await ground.read(run, site(1, 2), true);
    await ground.read(run, site(1, 3));
    const anHourLater = () =>
      until('the next row to be missed for an hour', async () => {
        await ground.urls(run);
        const rows = await ground.sql(
          "UPDATE archive.runs SET stuck_since = now() - interval '61 minutes' WHERE id = $1 AND stuck_since IS NOT NULL RETURNING no",
          [run.runId],
        );
        return rows.length === 1;
      });
    await anHourLater();
    await until('what comes behind to be listed', async () => (await ground.urls(run)).length > 0);
    expect(await ground.urls(run)).toEqual(urlsOf(site(1, 1)));
    await anHourLater();
    await ground.finish(run);
    await until('its end to be known, and the row to be missed anew', async () => {
      const rows = await ground.sql(
        "SELECT FROM archive.runs WHERE id = $1 AND status = 'done' AND stuck_since > now() - interval '1 minute'",
        [run.runId],
      );
      return rows.length === 1;
    });
    await ground.publish(run, late);
    await ground.rested(run);
    expect(await ground.urls(run)).toEqual(urlsOf(site(3, 1)));
  });
});
