-- AlterTable
ALTER TABLE "jobs" ADD COLUMN "project_id" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "snapshots" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL DEFAULT '',
    "site" TEXT NOT NULL,
    "subdomains" BOOLEAN NOT NULL,
    "complete" BOOLEAN NOT NULL,
    "totals" JSONB NOT NULL,
    "robots" JSONB,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "diffs" (
    "snapshot_id" TEXT NOT NULL,
    "before_id" TEXT NOT NULL,
    "is_verdict" BOOLEAN NOT NULL,
    "withheld" TEXT,
    "added" INTEGER NOT NULL,
    "removed" INTEGER NOT NULL,
    "updated" INTEGER NOT NULL,
    "files_added" TEXT[],
    "files_removed" TEXT[],
    "files_changed" TEXT[],
    "documents" TEXT[],

    CONSTRAINT "diffs_pkey" PRIMARY KEY ("snapshot_id")
);

-- CreateTable
CREATE TABLE "blob_candidates" (
    "sha256" TEXT NOT NULL,
    "aside" BOOLEAN NOT NULL DEFAULT false,
    "due" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "blob_candidates_pkey" PRIMARY KEY ("sha256")
);

-- CreateIndex
CREATE INDEX "snapshots_workspace_id_project_id_site_id_idx" ON "snapshots"("workspace_id", "project_id", "site", "id" DESC);

-- CreateIndex
CREATE INDEX "snapshots_due_idx" ON "snapshots"("due");

-- CreateIndex
CREATE INDEX "blob_candidates_due_idx" ON "blob_candidates"("due");

-- Maps that have had their day.
CREATE INDEX "jobs_finished_idx" ON "jobs"("finished_at") WHERE "finished_at" IS NOT NULL;
-- Who names a document.
CREATE INDEX "files_entries_idx" ON "files"((file ->> 'entries'));
CREATE INDEX "jobs_row_blobs_idx" ON "jobs" USING gin ("row_blobs");
CREATE INDEX "diffs_documents_idx" ON "diffs" USING gin ("documents");

-- Trees read so far.
INSERT INTO "snapshots" ("id", "workspace_id", "site", "subdomains", "complete", "totals", "robots", "taken_at", "due")
SELECT j.id, j.workspace_id, j.site, coalesce((j.options ->> 'allowSubdomains')::boolean, false),
  j.stop IS NULL AND NOT EXISTS (SELECT FROM "files" f WHERE f.job_id = j.id AND f.file ->> 'verdict' <> 'read'),
  j.totals, j.robots, j.finished_at, j.finished_at
FROM "jobs" j
WHERE j.status = 'done' AND j.method IN ('sitemap', 'feed') AND j.totals IS NOT NULL AND j.finished_at IS NOT NULL
  AND NOT coalesce((j.options ->> 'forCrawl')::boolean, false);
