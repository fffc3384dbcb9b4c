-- When a telling was first heard of: what is told of keeps for a while, so that late facts change nothing, and then goes.
ALTER TABLE "tellings" ADD COLUMN "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "watches" ADD COLUMN "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
