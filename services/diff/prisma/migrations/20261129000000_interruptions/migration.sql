-- Attempts in a row at a record that were interrupted, so that a record that ends its processes fails after five and not after its retries.
ALTER TABLE "records" ADD COLUMN "interruptions" INTEGER NOT NULL DEFAULT 0;
