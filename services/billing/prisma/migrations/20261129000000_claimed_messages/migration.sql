-- A claim of a payment message has a fencing token, and attempts that were interrupted in a row are counted.
ALTER TABLE "gateway_messages" ADD COLUMN "interruptions" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "owner" TEXT;
