-- Secrets that were rotated away keep verifying, each until its own end: a second rotation within a day ends none of them.
ALTER TABLE "receivers" ADD COLUMN "previous_secrets" BYTEA[] NOT NULL DEFAULT '{}';
ALTER TABLE "receivers" ADD COLUMN "previous_untils" TIMESTAMPTZ(3)[] NOT NULL DEFAULT '{}';
UPDATE "receivers" SET "previous_secrets" = ARRAY["previous_secret"], "previous_untils" = ARRAY["previous_until"]
  WHERE "previous_secret" IS NOT NULL AND "previous_until" IS NOT NULL;
ALTER TABLE "receivers" DROP COLUMN "previous_secret";
ALTER TABLE "receivers" DROP COLUMN "previous_until";
-- A crawl's receiver has the crawl's id.
ALTER TABLE "watches" DROP COLUMN "receiver_id";
