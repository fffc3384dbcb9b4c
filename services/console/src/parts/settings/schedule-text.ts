import { words } from '../../words/words.ts';
import { readSchedule } from './schedule-draft.ts';

const { schedule: texts } = words.settings;

/** Returns a schedule in words, such as `Every week, on Friday, 08:30`. */
export function scheduleText(schedule: string): string {
  const { rhythm, time, weekday, monthday, cron } = readSchedule(schedule);
  if (rhythm === 'cron') return `${texts.rhythms.cron}: ${cron}`;
  const day =
    rhythm === 'weekly' ? texts.weekdays[weekday] : rhythm === 'monthly' ? texts.onDay(String(monthday)) : undefined;
  return [texts.rhythms[rhythm], day, time].filter((part) => part !== undefined).join(', ');
}
