-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "archive";

-- CreateTable
CREATE TABLE "pages" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "verdict" TEXT NOT NULL,
    "http_status" INTEGER NOT NULL,
    "row" BYTEA NOT NULL,
    "crawled_at" TIMESTAMPTZ(3) NOT NULL,
    "url_key" BYTEA,
    "capture_key" TEXT,
    "formats" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    -- First 8 bytes of the names of the referenced blobs; 0: none. NULL in content_key: keys not derived yet.
    "content_key" BIGINT,
    "screenshot_key" BIGINT,
    "evidence_key" BIGINT,

    CONSTRAINT "pages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "pages_workspace_id_job_id_id_idx" ON "pages"("workspace_id", "job_id", "id");

-- maxAge queries the newest good version of an URL.
CREATE INDEX "pages_recall_idx" ON "pages"("workspace_id", "url_key", "crawled_at" DESC) WHERE "verdict" IN ('ok', 'thin');

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
    "due" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "project_id" TEXT NOT NULL DEFAULT '',
    -- The run that still needs pages of the discarded run.
    "needed_by" TEXT NOT NULL DEFAULT '',
    -- Progress of the deletion.
    "seen_to" TEXT NOT NULL DEFAULT '',
    "kept" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "discarded_runs_pkey" PRIMARY KEY ("job_id")
);

-- CreateTable
CREATE TABLE "blob_candidates" (
    "sha256" TEXT NOT NULL,
    "in_trash" BOOLEAN NOT NULL DEFAULT false,
    "due" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "blob_candidates_pkey" PRIMARY KEY ("sha256")
);

-- CreateIndex
CREATE INDEX "discarded_runs_due_idx" ON "discarded_runs"("due");
CREATE INDEX "discarded_runs_project_idx" ON "discarded_runs"("workspace_id", "project_id") WHERE "project_id" <> '';

-- CreateIndex
CREATE INDEX "blob_candidates_due_idx" ON "blob_candidates"("due");

-- Runs of projects as crawl reports them, and the progress of their listing.
CREATE TABLE "runs" (
    "no" BIGSERIAL NOT NULL,
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "trigger" TEXT NOT NULL DEFAULT '',
    "status" TEXT NOT NULL DEFAULT 'running',
    "ended_at" TIMESTAMPTZ(3),
    "total" INTEGER,
    "listed" INTEGER NOT NULL DEFAULT 0,
    "provisional" INTEGER NOT NULL DEFAULT 0,
    "checked" INTEGER NOT NULL DEFAULT 0,
    "sketched" INTEGER NOT NULL DEFAULT 0,
    "complete" BOOLEAN NOT NULL DEFAULT false,
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "summary" JSONB,
    "stuck_since" TIMESTAMPTZ(3),
    "due" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "is_waiting" BOOLEAN NOT NULL DEFAULT false,
    "is_claimed" BOOLEAN NOT NULL DEFAULT false,
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "discarded" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("no")
);
CREATE UNIQUE INDEX "runs_id_key" ON "runs"("id");
CREATE INDEX "runs_due_idx" ON "runs"("due") WHERE "due" IS NOT NULL;
CREATE INDEX "runs_project_idx" ON "runs"("workspace_id", "project_id");

-- Pages of runs as crawl records them (RunPage, as proto bytes), until their run is listed to its end. A page is final once its links are
-- counted. A run that is adopted has pages here before it is known above.
CREATE TABLE "recorded_pages" (
    "run_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "page" BYTEA NOT NULL,
    "is_final" BOOLEAN NOT NULL,

    CONSTRAINT "recorded_pages_pkey" PRIMARY KEY ("run_id", "number")
);

-- The pages of those runs, with every field of the query language.
CREATE TABLE "run_pages" (
    "run_no" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "page_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "asked_url" TEXT NOT NULL,
    "url_key" BYTEA NOT NULL,
    "http_status" INTEGER NOT NULL,
    "verdict" TEXT NOT NULL,
    "error_code" TEXT NOT NULL,
    "shape" TEXT,
    "warnings" TEXT[] NOT NULL,
    "signals" TEXT[] NOT NULL,
    "reason" TEXT NOT NULL,
    "method" TEXT,
    "tier" TEXT,
    "climbed_to" TEXT,
    "credits" INTEGER NOT NULL,
    "billed_as" TEXT,
    "words" INTEGER NOT NULL,
    "language" TEXT,
    "title" TEXT,
    "widget" TEXT,
    "solved" TEXT,
    "exit" TEXT,
    "exit_bytes" BIGINT NOT NULL,
    "redirects" TEXT[] NOT NULL,
    "charset" TEXT,
    "crawled_at" TIMESTAMPTZ(3) NOT NULL,
    "took_ms" INTEGER NOT NULL,
    "formats" TEXT[] NOT NULL,
    "content_key" BIGINT NOT NULL,
    "text_hash" BYTEA,
    "screenshot" BOOLEAN NOT NULL,
    "found_via" TEXT NOT NULL,
    "first_referer" TEXT,
    "in_sitemap" BOOLEAN NOT NULL,
    "depth" INTEGER NOT NULL,
    "in_links" INTEGER,
    "orphan" BOOLEAN,
    "unlisted" BOOLEAN,
    "product_price" DOUBLE PRECISION,
    "product_price_high" DOUBLE PRECISION,
    "product_regular_price" DOUBLE PRECISION,
    "product_currency" TEXT,
    "product_availability" TEXT,
    "product_in_stock" BOOLEAN,
    "product_sku" TEXT,
    "product_gtin" TEXT,
    "product_brand" TEXT,
    "product_source" TEXT,
    "product_conflict" TEXT[],

    CONSTRAINT "run_pages_pkey" PRIMARY KEY ("run_no", "number")
);
-- The readings of one address over time.
CREATE INDEX "run_pages_url_idx" ON "run_pages"("url_key", "run_no");

-- Which words a page may say: a search reads the stored text of these pages alone.
CREATE TABLE "run_words" (
    "run_no" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "sketch" BYTEA NOT NULL,

    CONSTRAINT "run_words_pkey" PRIMARY KEY ("run_no", "number")
);
-- A sketch is at most 6 KB of incompressible bits: stored inline it is read once, out of line once for each tested bit.
ALTER TABLE "run_words" ALTER COLUMN "sketch" SET STORAGE PLAIN;

-- States of workspaces that are, or were, suspended or deleted; their work is stopped, and the data of deleted ones removed, when `due`.
CREATE TABLE "workspace_states" (
    "workspace_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "suspended_at" TIMESTAMPTZ(3),
    "sweeps" INTEGER NOT NULL DEFAULT 0,
    "due" TIMESTAMPTZ(3),

    CONSTRAINT "workspace_states_pkey" PRIMARY KEY ("workspace_id")
);
CREATE INDEX "workspace_states_due_idx" ON "workspace_states"("due") WHERE "due" IS NOT NULL;
