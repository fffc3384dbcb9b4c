import { ALERT_TEMPLATES } from '@tidemark/alert-rules';
import { type AnyRoute, routes } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { configEntries, FORMATS } from '@tidemark/project-config';
import { COVERAGE_REASON_MEANINGS, ERROR_CODES, STOP_REASON_MEANINGS, VERDICT_MEANINGS } from '@tidemark/results';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { shownPlans } from '../../responses/plans.ts';

/** Answers GET /meta: verdict meanings, engine costs, plans and the configuration catalogue. */
export function metaEndpoint({ catalogue, userAgent }: { catalogue: Catalogue; userAgent: string }): Endpoint {
  const config = Object.fromEntries(
    configEntries.map(([key, { group, fallback, description, site = false, schema }]) => {
      const { $schema: _, ...json } = z.toJSONSchema(schema);
      return [key, { group, default: fallback, says: description, site, schema: json }];
    }),
  );
  const freshCodeRoutes = Object.values(routes).flatMap(({ method, path, session }: AnyRoute) =>
    session?.freshCode === undefined
      ? []
      : [{ method: method.toUpperCase(), path, always: session.freshCode === true }],
  );
  const featureRoutes = Object.values(routes).flatMap(({ method, path, feature }: AnyRoute) =>
    feature === undefined ? [] : [{ method: method.toUpperCase(), path, feature }],
  );
  return endpoint(routes.getMeta, async ({ requestId }) => ({
    status: 200,
    body: {
      verdicts: VERDICT_MEANINGS,
      errorCodes: ERROR_CODES,
      stopReasons: STOP_REASON_MEANINGS,
      coverageReasons: COVERAGE_REASON_MEANINGS,
      alertTemplates: ALERT_TEMPLATES.map(({ id, parameters, when }) => ({ id, parameters: [...parameters], when })),
      ladder: catalogue.ladder,
      plans: Object.fromEntries(shownPlans(catalogue).map((plan) => [plan.id, plan])),
      packs: catalogue.packs,
      config,
      formats: FORMATS,
      userAgent,
      freshCodeRoutes,
      featureRoutes,
      creditsUsed: 0,
      request_id: requestId,
    },
  }));
}
