import type { HealthTold, RunTold } from '../telling/ports.ts';
import { plain } from './plain-text.ts';
import type { Report } from './report.ts';
import { reportOfRun } from './report-of-run.ts';
import { linkTo, nameOf } from './report-project.ts';

const MAX_TITLE_CHARS = 140;
const MAX_WHY_CHARS = 500;

/** What people are told of a run or of a site's health; undefined where there is nothing to report. */
export function reportOf(told: RunTold | HealthTold, consoleUrl: string): Report | undefined {
  return told.kind === 'run' ? reportOfRun(told, consoleUrl) : reportOfHealth(told, consoleUrl);
}

function reportOfHealth({ channels, change }: HealthTold, consoleUrl: string): Report {
  const project = nameOf(channels);
  const isFailing = change.health === 'failing';
  const why = plain(change.why, MAX_WHY_CHARS);
  return {
    kind: 'monitor',
    mood: isFailing ? 'failing' : 'recovered',
    project,
    title: plain(`${project}: ${isFailing ? 'runs are failing' : 'runs work again'}`, MAX_TITLE_CHARS),
    lines: why === '' ? [] : [`${why.charAt(0).toUpperCase()}${why.slice(1).replace(/\.$/, '')}.`],
    counts: [],
    pages: [],
    more: 0,
    digest: null,
    link: linkTo(consoleUrl, channels.projectId, change.runId),
  };
}

/** What is told, as an event, and by what key: told twice, it is one. */
export function eventOf(told: RunTold | HealthTold): {
  readonly event: string;
  readonly runId: string;
  readonly at: Date;
  readonly key: string;
} {
  const { runId } = told.kind === 'run' ? told.run : told.change;
  const event = told.kind === 'run' ? 'run.finished' : `site.${told.change.health}`;
  const at = (told.kind === 'run' ? told.run.finishedAt : told.change.at) ?? new Date(0);
  return { event, runId, at, key: `${runId}:${event}` };
}
