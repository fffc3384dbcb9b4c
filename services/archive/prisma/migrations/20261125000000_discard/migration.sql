-- First 8 bytes of the names of the referenced blobs; 0: none. NULL in content_key: keys not derived yet.
ALTER TABLE "pages" ADD COLUMN "content_key" BIGINT;
ALTER TABLE "pages" ADD COLUMN "screenshot_key" BIGINT;
ALTER TABLE "pages" ADD COLUMN "evidence_key" BIGINT;

-- Index of references to a blob. Eight bytes of its name are enough: a collision only delays its deletion.
CREATE INDEX "pages_content_idx" ON "pages"("content_key") WHERE "content_key" <> 0;
CREATE INDEX "pages_screenshot_idx" ON "pages"("screenshot_key") WHERE "screenshot_key" <> 0;
CREATE INDEX "pages_evidence_idx" ON "pages"("evidence_key") WHERE "evidence_key" <> 0;
CREATE INDEX "pages_unkeyed_idx" ON "pages"("id") WHERE "content_key" IS NULL;

-- Pages of scrapes and batches in the order of their age, which their ids begin with; a run's pages go with the run.
CREATE INDEX "pages_jobs_idx" ON "pages"("id") WHERE "job_id" LIKE 'job\_%';

-- CreateTable
CREATE TABLE "discarded_runs" (
    "job_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "emptied_at" TIMESTAMPTZ(3),
    "due" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "discarded_runs_pkey" PRIMARY KEY ("job_id")
);

-- CreateTable
CREATE TABLE "blob_candidates" (
    "sha256" TEXT NOT NULL,
    "aside" BOOLEAN NOT NULL DEFAULT false,
    "due" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "blob_candidates_pkey" PRIMARY KEY ("sha256")
);

-- CreateIndex
CREATE INDEX "discarded_runs_due_idx" ON "discarded_runs"("due");

-- CreateIndex
CREATE INDEX "blob_candidates_due_idx" ON "blob_candidates"("due");
