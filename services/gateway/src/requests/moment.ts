import { Moment } from '@tidemark/api';

/** Returns whether a text is a time rather than the id of a run. */
export const isMoment = (text: string): boolean => Moment.safeParse(text).success;
