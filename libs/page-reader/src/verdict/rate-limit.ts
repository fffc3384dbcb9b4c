import { retryAfterSeconds } from '@tidemark/web-url';
import { ADVICE } from './advice.ts';
import type { ClassifyInput, Finding } from './classification.ts';
import { MAINTENANCE } from './failures.ts';
import { isNamed, isStated, makesStatement, namesStatus, type Statement } from './statements.ts';

const TOO_MANY: Statement = {
  sentence:
    /too many requests|rate[- ]limit(?:ed|s? (?:exceeded|reached))|being rate[- ]limited|request (?:limit|rate) (?:exceeded|reached)|exceeded .{0,30}(?:rate limit|number of requests)|(?:slow|calm) down[,.! ].{0,40}request|zu viele anfragen|trop de requêtes|demasiad(?:as|os) (?:solicitudes|peticiones|pedidos)|muit(?:as|os) (?:solicitações|pedidos|requisições)|troppe richieste|te veel verzoeken|слишком много запросов|リクエストが多すぎ|请求(?:过于频繁|次数过多|太频繁)|訪問(?:過於頻繁|太頻繁)|访问(?:过于频繁|太频繁)|요청이 너무 많/i,
  names: (name) => namesStatus(name, /^(?:429|1015)$/),
  advice: ADVICE,
};

/** Finds a rate limit: a 429, a 503 with Retry-After, or a page that says so. */
export function rateLimitIn(input: ClassifyInput): Finding | undefined {
  const { httpStatus, evidence } = input;
  const waitSeconds = retryAfterSeconds(input.headers);
  const matches = httpStatus !== 404 && makesStatement(evidence, TOO_MANY);
  const isMaintained = isNamed(evidence, MAINTENANCE) || isStated(evidence, MAINTENANCE);
  const later = httpStatus === 503 && waitSeconds !== undefined && !isMaintained;
  if (httpStatus !== 429 && !later && !matches) return undefined;
  const what =
    httpStatus === 429 || later ? `the site answered ${httpStatus}` : 'the page says there were too many requests';
  const wait = waitSeconds === undefined ? '' : `, retry after ${waitSeconds} s`;
  return {
    errorCode: 'RATE_LIMITED',
    reason: `${what}${wait}`,
    signals: [...(matches ? ['too many requests'] : []), ...(wait === '' ? [] : [`retry after ${waitSeconds} s`])],
  };
}
