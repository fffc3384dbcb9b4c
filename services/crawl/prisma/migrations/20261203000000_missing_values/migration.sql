-- Pages of a run whose requested extraction has no values, by reason.
ALTER TABLE "runs" ADD COLUMN "missing_values" JSONB NOT NULL DEFAULT '{}';
