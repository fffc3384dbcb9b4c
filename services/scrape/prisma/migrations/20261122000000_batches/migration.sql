-- The kind of a job: one page, a batch, or a playground capture.
ALTER TABLE "jobs" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'scrape';
ALTER TABLE "jobs" ADD COLUMN "total" INTEGER NOT NULL DEFAULT 1;
-- Pages of a batch are numbered as they end, so that lists of a running batch neither skip nor repeat.
ALTER TABLE "jobs" ADD COLUMN "last_number" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "jobs" ADD COLUMN "concurrency" INTEGER NOT NULL DEFAULT 8;
ALTER TABLE "jobs" ADD COLUMN "delay_ms" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "jobs" ADD COLUMN "webhook_url" BYTEA;
ALTER TABLE "jobs" ADD COLUMN "webhook_secret" BYTEA;

-- CreateTable
CREATE TABLE "batch_pages" (
    "capture_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "owner" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "held" INTEGER NOT NULL DEFAULT 0,
    "number" INTEGER,
    "verdict" TEXT,
    "credits" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "batch_pages_pkey" PRIMARY KEY ("capture_id")
);

-- CreateTable
CREATE TABLE "host_fingerprints" (
    "likeness" TEXT NOT NULL,
    "rung" TEXT NOT NULL,
    "streak" DOUBLE PRECISION NOT NULL,
    "skipped" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "host_fingerprints_pkey" PRIMARY KEY ("likeness")
);

-- CreateIndex
CREATE UNIQUE INDEX "batch_pages_job_id_number_key" ON "batch_pages"("job_id", "number");

-- Work that has not come to its end: claimed by host, taken over when a lease runs out.
CREATE INDEX "batch_pages_unfinished_idx" ON "batch_pages"("job_id", "host", "capture_id") WHERE "status" IN ('queued', 'running');
