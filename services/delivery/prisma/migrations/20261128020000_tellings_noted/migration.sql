-- Time of the first event, from which the retention counts.
ALTER TABLE "tellings" ADD COLUMN "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "watches" ADD COLUMN "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
