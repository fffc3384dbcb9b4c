import { z } from 'zod';

/** A time of a result. */
export const Time = z.iso.datetime().describe('ISO 8601, UTC');
