-- One state instead of the columns complete, settled and discarded; an owner, which fences claims, instead of is_claimed and is_waiting.
ALTER TABLE "runs"
  ADD COLUMN "state" TEXT NOT NULL DEFAULT 'listing'
    CONSTRAINT "runs_state_check" CHECK ("state" IN ('listing', 'completing', 'settled', 'discarded')),
  ADD COLUMN "owner" TEXT;
UPDATE "runs" SET
  "state" = CASE WHEN "discarded" THEN 'discarded' WHEN "settled" THEN 'settled' WHEN "complete" THEN 'completing' ELSE 'listing' END,
  "owner" = CASE WHEN "is_claimed" THEN 'before the migration' END
WHERE "discarded" OR "settled" OR "complete" OR "is_claimed";
ALTER TABLE "runs" DROP COLUMN "complete", DROP COLUMN "settled", DROP COLUMN "discarded", DROP COLUMN "is_claimed", DROP COLUMN "is_waiting";
