-- Attempts in a row at the start of a due run that were interrupted; a due run that waits for its next attempt has no owner.
ALTER TABLE "due_runs" ALTER COLUMN "owner" DROP NOT NULL, ADD COLUMN "interruptions" INTEGER NOT NULL DEFAULT 0;
